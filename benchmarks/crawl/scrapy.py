"""Scrapy's side: a spider that extracts each page in its callback, in a process of its own.

It reads URLs from standard input and prints the seconds and CPU seconds from its first request to its end.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from typing import Any

from crawler.extract.main_content import library_text

#: as ours on the operator's own site: robots.txt obeyed, no pause; Scrapy's default number of requests in flight
SETTINGS = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "AUTOTHROTTLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    "USER_AGENT": "wellread-bench/1.0",
}


def main() -> None:
    """Crawl the URLs of standard input."""
    scrapy, crawling = import_module("scrapy"), import_module("scrapy.crawler")
    urls, got = json.load(sys.stdin), {"pages": 0, "began": 0.0, "ended": 0.0, "cpu": 0.0}

    class Spider(scrapy.Spider):  # type: ignore[misc, name-defined]
        name = "bench"

        async def start(self) -> Any:
            got["began"], got["cpu"] = time.perf_counter(), -time.process_time()
            for url in urls:
                yield scrapy.Request(url, callback=self.parse)

        def parse(self, response: Any) -> None:
            got["pages"] += 1
            library_text(response.text)
            got["ended"] = time.perf_counter()

    process = crawling.CrawlerProcess(SETTINGS)
    process.crawl(Spider)
    process.start()
    print(json.dumps({**got, "cpu": got["cpu"] + time.process_time(), "seconds": got["ended"] - got["began"]}))


if __name__ == "__main__":
    main()

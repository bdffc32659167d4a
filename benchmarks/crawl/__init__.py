"""Pages read a second, beside Scrapy."""

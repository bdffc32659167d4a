"""A question's record as the API sends it."""

from __future__ import annotations

from typing import Any


def citation(**changes: Any) -> dict[str, Any]:
    return {
        "marker": 1,
        "passage_id": "1-0",
        "page_id": 1,
        "url": "http://127.0.0.1/energy.html",
        "title": "Energy",
        "quote": "The turbines give 610 megawatt-hours.",
        "start": 0,
        "end": 37,
        "published": "2026-03-01T00:00:00Z",
        "read_at": "2026-11-03T10:00:02Z",
        **changes,
    }


def record_json(**changes: Any) -> dict[str, Any]:
    return {
        "id": "0" * 32,
        "question": "How much?",
        "status": "ANSWERED",
        "current_step": None,
        "final_step": "phase4_requery",
        "provisional": False,
        "answer": "They give 610 megawatt-hours a year. [1]",
        "confidence": 0.93,
        "sentences": [{"text": "They give 610 megawatt-hours a year.", "markers": [1]}],
        "citations": [citation()],
        "context": [],
        "composer": "extractive",
        "notice": "",
        "verdict": {"sufficient": True, "confidence": 0.93, "reason": "ok", "missing": [], "judge": "calibrated"},
        "retry_attempted": True,
        "paraphrased_queries": ["yearly output"],
        "online_search_triggered": True,
        "crawl_reason": "nothing matches",
        "stop_reason": "the answer was found",
        "rag_hits_count": 5,
        "sql_hits_count": 0,
        "graph_hits_count": 0,
        "live_urls": ["http://127.0.0.1/energy.html"],
        "pages": [
            {
                "url": "http://127.0.0.1/energy.html",
                "title": "Energy",
                "outcome": "read",
                "reason": None,
                "wave": 0,
            }
        ],
        "search_cycles_completed": 1,
        "max_search_cycles": 6,
        "entity": "Harrow Point",
        "timings": [
            {
                "step": "retrieve",
                "cycle": 0,
                "attempt": 1,
                "outcome": "insufficient",
                "seconds": 0.02,
                "started_at": "2026-11-03T10:00:00Z",
            }
        ],
        "seconds": 3.5,
        "cost": {"model": "", "input_tokens": 0, "output_tokens": 0, "usd": 0.0},
        "error": None,
        "revision": 2,
        "created_at": "2026-11-03T10:00:00Z",
        "updated_at": "2026-11-03T10:00:03Z",
        "finished_at": "2026-11-03T10:00:03.500000Z",
        **changes,
    }

"""The rules of a pass that settings choose: who judges, when to stop, how hits are fused and ordered, the limits."""

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import partial

from pipeline.answering.few_shot import read_examples
from pipeline.ask import Tools
from pipeline.documents.judge import QualityRule, document_judge, document_stop, similarity_of
from pipeline.documents.rerank import RERANKERS, rrf
from pipeline.enhancements import parse_enhancements
from pipeline.judging.judge import Stop, cut_off_by_judge, keep_all
from pipeline.limits import Limits
from pipeline.retrieval.retrieve import Ranking
from workers.settings import Settings


def with_rules(tools: Tools, settings: Settings) -> Tools:
    """Return the tools with the rules that the settings choose."""
    s, similarity = settings, similarity_of(tools.embedder.id)
    rule = QualityRule(similarity=s.quality_threshold, hits=s.min_high_quality_hits)
    stops: Mapping[str, Stop] = {
        "judge": cut_off_by_judge,
        "max_k": keep_all,
        "document": document_stop(s.similarity_floor, similarity),
    }
    switched = (*s.enhancements, "page_rank") if s.reranker == "graph" else s.enhancements
    return replace(
        tools,
        judge=document_judge(rule, similarity) if s.judge == "document" else None,
        stop=stops[s.stop],
        ranking=Ranking(fuse=partial(rrf, k=s.rrf_k) if s.fusion == "rrf" else None, rerank=RERANKERS.get(s.reranker)),
        limits=limits_of(s),
        enhancements=parse_enhancements(switched),
        examples=read_examples(s.few_shot_path) if s.few_shot_path else (),
    )


def limits_of(settings: Settings) -> Limits:
    """Return the limits of every pass, as the operator set them."""
    named = {each.name: getattr(settings, each.name) for each in fields(Limits) if each.name in Settings.model_fields}
    variants = settings.variant_count if settings.query_expansion else 0
    return Limits(**named, variants=variants, by_strategy=settings.stop == "document")

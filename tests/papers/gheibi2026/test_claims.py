"""Verdicts on Gheibi 2026 turn if the numbers behind them turn, and weak models do not contradict the paper."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.deliver import shuffled, sls
from dissensus.evaluate.smooth_calibration import smooth_reliability
from dissensus.labels.distributions import Distributions
from dissensus.papers.evidence import Candidate, Evidence, Number, collect
from dissensus.papers.expressions import difference
from dissensus.papers.gheibi2026.answers import text_gaps
from dissensus.papers.gheibi2026.claims import CLAIMS, HEADLINES, more_at_few
from dissensus.papers.gheibi2026.measures import curve_distance
from dissensus.papers.gheibi2026.observe import observe_probes
from dissensus.papers.gheibi2026.paper import PAPER
from dissensus.papers.gheibi2026.proposition import growth_by_class, parameter_gap, sides, squared_error
from dissensus.papers.gheibi2026.studies import HARD, KS
from dissensus.papers.judging import judge_claims, judgements
from dissensus.papers.outcomes import Judgement
from dissensus.papers.strength import SHOWN
from dissensus.train.model import softmax
from tests.papers.gheibi2026.made_up import MODEL, evidence_as_printed, probe_numbers

HOLDS = ("equal", "same direction")
SWEEP = [f"table-1-{method}-{k}" for method in HARD for k in KS]


def judged(evidence: Evidence) -> dict[str, Judgement]:
    return judgements(judge_claims(PAPER, evidence))


def verdicts(evidence: Evidence, keys: list[str]) -> dict[str, str]:
    ours = judged(evidence)
    return {key: ours[key].verdict for key in keys}


def test_numbers_as_printed_confirm_every_claim_but_the_one_that_table_1_contradicts():
    ours = judged(evidence_as_printed())
    tested = {key: made.verdict for key, made in ours.items() if made.verdict != "cannot be tested here"}
    assert len(tested) > 75
    against = {key: verdict for key, verdict in tested.items() if verdict not in HOLDS}
    assert set(against) <= {"table-1-strongest", "table-8-knn", "table-8-knn-p", "table-5-mixup"}  # within the spread
    assert against["table-1-strongest"] in ("differs", "too weak to tell")


def test_soft_labels_and_hard_deliveries_exchanged_turn_the_sweep_and_the_curvature_to_differs():
    exchange = {"soft": "sls"} | dict.fromkeys(HARD, "soft")
    keys = [*SWEEP, "table-1-all", *(f"table-6-{k}" for k in KS), "table-4-lambda_full", "table-4-trace_high"]
    keys += ["figure-12"]
    assert verdicts(evidence_as_printed(exchange=exchange), keys) == dict.fromkeys(keys, "differs")


def test_labels_of_other_images_turn_parity_to_differs():
    """SLS that draws from the distributions of other images: its numbers are those of shuffled SLS."""
    known = evidence_as_printed()
    broken = {
        number: known.values[MODEL].get(number._replace(arm="shuffled"), runs) if number.arm == "sls" else runs
        for number, runs in known.values[MODEL].items()
    }
    keys = ["table-2-soft_nll", "table-2-accuracy", "table-2-sls-others-soft_nll", "table-3-multipass-sls"]
    keys += ["table-3-deterministic_control-sls", "table-2-entropy_spearman"]
    assert verdicts(Evidence({MODEL: broken}), keys) == dict.fromkeys(keys, "differs")


def test_a_model_at_chance_is_too_weak_to_tell():
    known = evidence_as_printed()
    chance = {"soft_nll": 2.3, "accuracy": 0.1}
    crippled = {
        number: dict.fromkeys(runs, chance.get(number.metric, 0.0)) | {"seed 0": chance.get(number.metric, 0.0) + 0.01}
        for number, runs in known.values[MODEL].items()
        if number.metric not in (SHOWN, "agreeing_cells")
    }
    ours = judged(Evidence({MODEL: crippled}))
    tested = {key: made for key, made in ours.items() if made.outcomes}
    assert len(tested) > 75
    assert {key: made.verdict for key, made in tested.items()} == dict.fromkeys(tested, "too weak to tell")
    assert all("level" in outcome.weak for made in tested.values() for outcome in made.outcomes)


def test_three_labels_of_51_votes_are_too_few_and_five_are_enough_for_five_votes():
    ours = judged(evidence_as_printed(epochs=3))
    assert {ours[key].verdict for key in (*SWEEP, "table-2-soft_nll", "figure-11")} == {"too weak to tell"}
    assert ours["table-2-others-soft_nll"].verdict in HOLDS  # nothing there is shown one at a time
    five = judged(evidence_as_printed(epochs=5))
    assert five["table-1-multipass-5"].verdict in HOLDS and five["table-1-multipass-10"].verdict == "too weak to tell"
    assert "delivery" in five["table-1-multipass-10"].outcomes[0].weak


def test_a_smaller_loss_at_few_votes_is_no_larger_gain():
    """Hard delivery loses at every K, least at 5 and 10 votes: the gain there is not larger, it is none."""
    known = {}
    for k in KS:
        soft, hard = 0.5, 0.52 if k < 20 else 0.57
        for arm in ("soft", *HARD):
            mean = soft if arm == "soft" else hard
            known[Number("soft_nll", arm, f"K = {k}")] = {
                f"seed {s}": mean + 0.0001 * s * (arm != "soft") for s in range(5)
            }
            known[Number(SHOWN, arm, f"K = {k}")] = dict.fromkeys(("seed 0", "seed 1"), 200.0)
    ours = judged(Evidence({MODEL: known}))
    assert ours["table-1-strongest"].verdict == "differs"


def test_the_gain_at_few_votes_less_that_at_many_by_hand():
    known = evidence_as_printed()
    runs = more_at_few().runs(known, MODEL)
    for seed, value in runs.items():
        nll = {
            (arm, k): known.values[MODEL][Number("soft_nll", arm, f"K = {k}")][seed]
            for arm in ("soft", *HARD)
            for k in KS
        }
        gain = {k: nll["soft", k] - sum(nll[method, k] for method in HARD) / 3 for k in KS}
        assert value == pytest.approx((gain[5] + gain[10]) / 2 - (gain[25] + gain[50]) / 2)


def test_ties_are_no_order_of_held_labels():
    """After three epochs, labels held for 5, 10 and 50 epochs are the same labels."""
    known = evidence_as_printed(epochs=60)
    same = {
        number: known.values[MODEL][number._replace(where="every 5 epochs")] if number.arm == "held" else runs
        for number, runs in known.values[MODEL].items()
    }
    assert judged(known)["figure-4-order"].verdict in HOLDS
    assert judged(Evidence({MODEL: same}))["figure-4-order"].verdict == "differs"
    assert judged(evidence_as_printed(epochs=3))["figure-4-order"].verdict == "too weak to tell"


@pytest.mark.parametrize(("sign", "expected"), [(1.0, HOLDS), (-1.0, ("differs",))])
def test_numbers_of_probes_are_judged_by_their_direction(sign, expected):
    strong = {
        Number("soft_nll", "soft"): {"seed 0": 0.5, "seed 1": 0.5},
        **{Number("soft_nll", "soft", f"K = {k}"): {"seed 0": 0.5, "seed 1": 0.5} for k in KS},
    }
    ours = judged(Evidence({Candidate("heads", "best epoch"): strong | observe_probes([probe_numbers(sign)], "best")}))
    keys = [claim.key for claim in CLAIMS if claim.key.startswith(("table-4", "table-6", "table-8", "table-9"))]
    keys += ["figure-2-correlation", "figure-2-bins", "figure-5", "figure-6", "figure-7", "figure-11", "figure-12"]
    assert {key: ours[key].verdict for key in keys if ours[key].verdict not in expected} == {}


def test_one_flatter_delivery_is_enough_for_shuffled_labels_not_to_be_flattest():
    numbers = probe_numbers(1.0)
    for values in numbers["curvature"]["multipass"].values():
        values["trace_full"] = 0.5
    strong = {Number("soft_nll", "soft"): {"seed 0": 0.5, "seed 1": 0.5}}
    ours = judged(Evidence({Candidate("heads", "best epoch"): strong | observe_probes([numbers], "best")}))
    assert ours["table-4-shuffled"].verdict == "differs"


def test_curvature_is_judged_at_the_best_epoch_alone():
    metrics = {number.metric for number in observe_probes([probe_numbers(1.0)], "last")}
    assert "auroc_energy" in metrics and not metrics & {"lambda_full", "trace_high"}


@pytest.mark.parametrize(
    ("cells", "epochs", "verdict"),
    [(9, 200, "equal"), (12, 200, "same direction"), (5, 200, "differs"), (5, 3, "too weak to tell")],
)
def test_cells_in_which_all_seeds_agree_have_to_be_nine_or_more(cells, epochs, verdict):
    known = evidence_as_printed(epochs=epochs)
    counted = {Number("agreeing_cells", "hard"): {"all": float(cells)}}
    ours = judged(Evidence({MODEL: {**known.values[MODEL], **counted}}))
    assert ours["table-1-agreeing"].verdict == verdict


def test_an_arm_near_zero_is_not_the_unit_of_a_contrast():
    table = PAPER.published.table("table 3")
    assert table is not None
    assert all(abs(size) < 1.1 for _, _, size in table.contrasts("entropy_spearman"))


def test_means_of_arms_are_of_the_runs_that_both_have():
    numbers = (Number("soft_nll", "held", "every 5 epochs"), Number("soft_nll", "sls", "every 5 epochs"))
    known = Evidence({MODEL: {numbers[0]: {"seed 0": 0.6}, numbers[1]: {"seed 0": 0.5, "seed 1": 0.9}}})
    assert difference("soft_nll", "held", "sls", "every 5 epochs").means(known, MODEL) == {"held": 0.6, "sls": 0.5}


@pytest.fixture(scope="module")
def crowd() -> tuple[Distributions, np.ndarray]:
    rng = np.random.default_rng(0)
    counts = rng.multinomial(20, rng.dirichlet(np.full(4, 0.5), size=300))
    counts[:20] = [20, 0, 0, 0]
    return Distributions.from_counts(counts), softmax(rng.normal(0, 2, (300, 4)))


def theory(people: Distributions, q: np.ndarray, *, deal: bool) -> Evidence:
    """Evidence of the proposition from labels of each item, or dealt to other items."""
    gaps = sides(people.probs, q) | {"parameters": parameter_gap(people.probs[:5], np.random.default_rng(0))}
    rows = [(Candidate(), Number(f"{name}_gap", "sls"), {"all": gap}) for name, gap in gaps.items()]
    errors = {}
    for seed in range(5):
        delivery = sls(people, seed)
        errors[str(seed)] = squared_error(people, q, shuffled(delivery, seed) if deal else delivery)
    rows += [(Candidate(), Number("squared_error", "sls"), errors)]
    rows += [(Candidate(), Number("growth_spearman", "people"), growth_by_class(people))]
    return collect(rows)


PROPOSITION = [f"proposition-{name}" for name in ("objective", "covariance", "parameters", "square")]


def test_the_proposition_holds_for_labels_drawn_by_sls(crowd):
    people, q = crowd
    ours = verdicts(theory(people, q, deal=False), PROPOSITION)
    assert set(ours.values()) <= set(HOLDS)


def test_the_proposition_fails_for_labels_of_other_items(crowd):
    """SLS that draws from the distributions of other items has another objective."""
    people, q = crowd
    ours = verdicts(theory(people, q, deal=True), PROPOSITION)
    assert ours["proposition-objective"] == "differs"
    assert ours["proposition-covariance"] == "equal"  # it is about distributions, and they are the same
    assert squared_error(people, q, shuffled(sls(people, 0), 0)) > 10


def test_equation_7_needs_distributions():
    """Weights that do not sum to 1 have no such covariance."""
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(4), size=3)
    assert parameter_gap(p, np.random.default_rng(0)) < 1e-12
    assert parameter_gap(1.5 * p, np.random.default_rng(0)) > 1e-3


def test_squared_errors_by_a_slow_loop(crowd, monkeypatch):
    monkeypatch.setattr("dissensus.papers.gheibi2026.proposition.EPOCHS", 7)
    people, q = crowd
    delivery, squares = sls(people, 3), []
    for item in range(people.n_items):
        p, loss = people.probs[item], -np.log(q[item])
        mean, variance = p @ loss, p @ loss**2 - (p @ loss) ** 2
        drawn = np.mean([loss[delivery.targets(epoch)[item]] for epoch in range(7)])
        if variance > 1e-9:
            squares.append((drawn - mean) ** 2 / (variance / 7))
    assert squared_error(people, q, delivery) == pytest.approx(np.mean(squares))


def test_gaps_on_texts_are_paired_by_seed():
    runs = {"5 · sls · best": [1.0, 2.0], "5 · soft · best": [1.5, 1.0]}
    assert text_gaps({"chaosnli": {"runs": runs}}, "chaosnli", "5", "sls", "best") == {"seed 0": -0.5, "seed 1": 1.0}


def test_claims_have_judges_and_short_texts():
    assert len(CLAIMS) == 102 and 5 <= len(HEADLINES) <= 8
    for claim in CLAIMS:
        assert claim.judge is not None and claim.claim[-1] != "."
        assert len(claim.claim) <= 120, claim.key
    for made in judge_claims(PAPER, evidence_as_printed()).values():
        assert max(map(len, (made.published, made.ours, made.evidence))) <= 120
    for scale in ("quick", "laptop", "full"):
        assert max(len(cell) for row in PAPER.differences(scale) for cell in row) <= 120


@pytest.mark.parametrize("evidence", [evidence_as_printed(), evidence_as_printed(epochs=3), collect([])])
def test_the_page_concludes_whatever_came_out(evidence):
    assert PAPER.conclude is not None
    conclusion = PAPER.conclude(judged(evidence))
    assert all((conclusion.short, conclusion.practice, conclusion.caution))
    cells = judged(evidence)
    assert f"in {sum(cells[key].verdict in HOLDS for key in SWEEP)} of 12" in conclusion.short


@pytest.mark.parametrize(("swap", "expected"), [(False, HOLDS), (True, ("differs",))])
def test_the_curve_of_sls_has_to_be_closer_to_that_of_soft_labels_than_majority_votes(swap, expected):
    near, far = ({f"seed {seed}": size * (1 + 0.01 * seed) for seed in range(5)} for size in (0.01, 0.06))
    known = evidence_as_printed().values[MODEL]
    curves = {"sls": far if swap else near, "majority": near if swap else far}
    own = {Number("curve_distance", arm): runs for arm, runs in curves.items()}
    assert judged(Evidence({MODEL: {**known, **own}}))["figure-3-curves"].verdict in expected


def test_distances_of_reliability_curves_grow_with_overconfidence():
    rng = np.random.default_rng(0)
    truth = rng.uniform(0.5, 1, 2_000)
    outcome = (rng.random(2_000) < truth).astype(float)
    curves = [smooth_reliability(truth ** (1 / power), outcome) for power in (1, 1.5, 3)]
    distances = [curve_distance(curve, curves[0]) for curve in curves]
    assert distances[0] == 0 and 0.02 < distances[1] < distances[2] < 0.3

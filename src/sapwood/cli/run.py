"""``sapwood run``: one stream, one learner, test-then-train."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import strategies
from ..budget import Budget
from ..compare import LEARNERS
from ..drift import make as make_drift
from ..report.words import counted, duration, percent, whole
from ..results import Result
from ..tree import ConfidenceTreeClassifier
from . import options as o
from .exits import EXITS, INTERRUPTED, SKIPPED, note, note_faults, told
from .folder import RunFolder
from .helping import helped
from .opening import opened
from .resuming import go_on, is_folder
from .running import Outcome, go
from .saved import loaded
from .screen import is_human, print_json, print_table

_SHOWN_ERRORS = 3


def run(
    context: typer.Context,
    stream: o.Stream,
    label: o.Label = None,
    format: o.Format = None,
    types: o.Types = None,
    header: o.Header = None,
    on_error: o.OnError = "stop",
    limit: o.Limit = None,
    learner: Annotated[
        str | None,
        typer.Option(
            help=f"{', '.join(LEARNERS)}.", rich_help_panel="Model", show_default="c-tree"
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Go on from a saved model, or from that of a run's folder, instead of a new one.",
            rich_help_panel="Model",
        ),
    ] = None,
    criterion: o.Criterion = None,
    bound: o.Bound = None,
    c: o.Factor = None,
    delta: o.Delta = None,
    leaf_prediction: o.LeafPrediction = None,
    grace_period: o.GracePeriod = None,
    param: o.Param = None,
    strategy: Annotated[
        str,
        typer.Option(help=f"{o.STRATEGIES}. full learns every label.", rich_help_panel="Asking"),
    ] = "full",
    budget: Annotated[
        str | None,
        typer.Option(
            help="Labels that may be asked for: a share such as 0.1, window:0.1:1000, "
            "estimated-window:0.1:100, count:500:0.05, 100/hour:0.05 (with --times), strict:0.1 "
            "or unlimited.",
            rich_help_panel="Asking",
        ),
    ] = None,
    drift: o.Drift = None,
    delay: o.Delay = 0,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the strategy's draws.", rich_help_panel="Asking"),
    ] = None,
    times: o.Times = None,
    every: o.Every = 1000,
    positive: o.Positive = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("sapwood-run"),
    force: o.Force = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the interrupted run in the folder.")
    ] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Run a stream through a tree, and write what came of it."""
    with told():
        if resume and force:
            raise ValueError("--resume goes on with a run, and --force replaces it: pass one.")
        if is_folder(stream):
            go_on(context, Path(stream))
            return
        given = {"criterion": criterion, "bound": bound, "c": c, "delta": delta}
        given |= {"leaf_prediction": leaf_prediction, "grace_period": grace_period}
        params = o.model_params(given, param)
        tree = make_model(learner or "c-tree", params)
        settings = {
            "strategy": None if strategy == "full" else strategy,
            "budget": checked_budget(strategy, budget, times),
            "times": times,
            "drift": make_drift(drift),
            "delay": delay,
            "every": every,
            "random_state": seed,
            "positive": positive,
        }
        if model is not None:
            if learner is not None or params:
                raise ValueError(
                    "A saved model has its own parameters: pass --model without --learner and the "
                    "options of the tree."
                )
            tree, settings["trained"] = saved_tree(model, out), "continue"
        how = o.reading(label, format, types, on_error, header)
        about = {"source": stream, **how, "limit": limit}
        if model is not None:
            about["model"] = str(model)
        command: list[str] = context.meta.get("sapwood.command", [])
        folder = RunFolder(out)
        if resume:
            folder.resume(about)
        source = opened(stream, how, quiet=quiet)
        if how["label"] != label:  # it was asked for
            about |= how
            command = [*command, "--label", how["label"]]
        human = is_human(as_json, quiet)
        with nullcontext() if resume else folder.taken(about, command, force):
            outcome = go(source, tree, settings, folder, limit=limit, resume=resume, shown=human)
            result = result_of(outcome)
            paths = folder.write(result, about, repeating(command, result), outcome.complete)
        said = finish(result, outcome, paths, human=human, as_json=as_json, quiet=quiet)
        if not outcome.complete:
            note(f"{said} To go on:\n  {shlex.join(['sapwood', 'run', str(out), '--resume'])}")
            if folder.replaced is not None:
                note(f"Until that is done, what it replaces lies in {folder.replaced}.")
            raise typer.Exit(INTERRUPTED)
        if result.skipped or result.mended:
            raise typer.Exit(SKIPPED)


def result_of(outcome: Outcome) -> Result:
    """Return what came of a run."""
    if outcome.evaluation is None:
        raise KeyboardInterrupt("before the first rows were learned; nothing was kept")
    return outcome.evaluation.result()


def repeating(command: list[str], result: Result) -> list[str]:
    """Return the command that repeats a run: with its seed, and without what only shows it."""
    passing = {"--resume", "--force", "--json", "--quiet", "-q"}
    again = [word for word in command if word not in passing]
    seeded = any(word == "--seed" or word.startswith("--seed=") for word in again)
    seed = seed_of(result)
    return again if seeded or seed is None else [*again, "--seed", str(seed)]


def seed_of(result: Result) -> int | None:
    """Return the seed of the strategy's draws, given or drawn; None where nothing asks."""
    settings = result.settings
    return None if settings["strategy"] is None else int(settings["random_state"])


def make_model(learner: str, params: dict[str, Any]) -> Any:
    """Return the tree of a preset."""
    if learner not in LEARNERS:
        raise ValueError(f"--learner is one of {', '.join(LEARNERS)}; got {learner!r}.")
    return LEARNERS[learner](**params)


def saved_tree(path: Path, out: Path) -> ConfidenceTreeClassifier:
    """Return the model that a run goes on from; it must lie where the run leaves it."""
    if out.resolve() in (path.resolve(), path.resolve().parent):
        raise ValueError(
            f"{path} lies in {out}, whose run this one would replace: name another folder with "
            "--out."
        )
    tree = loaded(str(path))
    if not isinstance(tree, ConfidenceTreeClassifier):
        raise ValueError(
            f"{path} holds an {type(tree).__name__}, and --model takes a model: save its model in "
            f"Python, by sapwood.load({str(path)!r}).model.save(...)."
        )
    return tree


def checked_budget(strategy: str, budget: str | None, times: str | None) -> Budget | None:
    """Return the budget, if it and the strategy go together."""
    if strategy == "full":
        if budget is not None:
            raise ValueError("--budget needs a --strategy that spends it, such as conf-tree.")
        return None
    strategies.make(strategy)
    if budget is None and strategy not in ("all", "none"):
        raise ValueError(f"--strategy {strategy} needs a --budget, for example --budget 0.1.")
    if budget is not None and "/" in budget and times is None:
        raise ValueError("A budget per time needs the time of each row: --times COLUMN.")
    return None if budget is None else Budget.parse(budget)


def finish(
    result: Result,
    outcome: Outcome,
    paths: dict[str, str],
    *,
    human: bool,
    as_json: bool,
    quiet: bool,
) -> str:
    """Say what came of the run; return how far it went, in words."""
    errors = [str(row) for row in outcome.errors[:_SHOWN_ERRORS]]
    if (result.skipped or result.mended) and not quiet:
        note_faults(result.skipped, result.mended, errors)
    if human:
        show(result, paths)
    elif as_json or not quiet:
        done = {"label": result.settings["label"], "seed": seed_of(result)}
        done["complete"] = outcome.complete
        done |= {"files": paths, "errors": errors}
        print_json({**result.metrics(), **done})
    return f"Interrupted after {counted(result.n_rows, 'row')}."


def show(result: Result, paths: dict[str, str]) -> None:
    """Print the summary of a run."""
    budget = result.settings["budget"]
    asked = f"{whole(result.labels)}, {percent(result.query_rate)} of the rows"
    speed = f"{whole(result.n_rows / result.seconds)} rows/s" if result.seconds else ""
    seed = seed_of(result)
    rows = [
        ("accuracy", percent(result.accuracy, 2)),
        (f"F-measure of {result.positive}", f"{result.f_measure:.4f}"),
        ("kappa", f"{result.kappa:.4f}"),
        ("labels", asked if budget is None else f"{asked} (budget {budget})"),
        ("leaves", whole(result.n_leaves)),
        ("drifts", whole(result.drifts)),
        ("rows", whole(result.n_rows)),
        *([("not scored", whole(result.unscored))] if result.unscored else []),
        ("label column", str(result.settings["label"] or "–")),
        *([] if seed is None else [("seed", str(seed))]),
        ("time", f"{duration(result.seconds)}, {speed}"),
    ]
    print_table(["", ""], rows, title=str(result.settings["stream"]))
    typer.echo(f"Report: {paths['report']}")
    typer.echo(f"Model:  {paths['model']}")


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    text = helped(
        "Run a stream through a tree, test-then-train, and write metrics, curve, model and report.",
        "sapwood run stream.csv",
        "sapwood run stream.csv --label class --strategy conf-tree --budget 0.1 --drift ddm",
        "sapwood run electricity --learner moa --out runs/moa",
        "zcat big.csv.gz | sapwood run - --format csv --json",
        "sapwood run next.csv --model sapwood-run --out next-run",
        "sapwood run sapwood-run --resume",
        more="On a terminal it shows how the run goes; otherwise, or with --json, it prints one "
        f"JSON object on standard output, and messages on standard error.\n\n{EXITS}",
    )
    app.command("run", help=text)(run)

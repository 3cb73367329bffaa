//! The descent: from weights to better weights.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};

use argmin::core::{
    CostFunction, Error, Executor, Gradient, IterState, KV, Problem, Solver, State, TerminationReason,
    TerminationStatus,
};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use engine::eval::EvalParams;
use engine::eval::gradient::Pair;

use crate::adam;
use crate::cpu::{cpu_seconds, return_freed_memory};
use crate::curvature::{Preconditioner, Scaling, Survey, survey};
use crate::objective::Objective;
use crate::store::Store;

/// Pairs of steps and slopes that L-BFGS remembers.
const MEMORY: usize = 16;

/// The minimiser.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Optimizer {
    /// L-BFGS on variables rescaled by the curvature
    Lbfgs,
    /// Adam with full batches, for comparison
    Adam,
}

/// How to descend.
#[derive(Clone, Debug)]
pub struct FitOptions {
    /// By which method.
    pub optimizer: Optimizer,
    /// How variables are rescaled for L-BFGS.
    pub scaling: Scaling,
    /// What moving a weight by a pawn (100) from the start costs.
    pub l2: f64,
    /// `// [weight]` and what is known of each from elsewhere, as curvature: what was often seen before is tied more firmly
    pub prior: Option<Vec<Pair>>,
    /// The most iterations (of Adam: epochs).
    pub max_iters: u64,
    /// Stop when no more than this much loss can be left to gain.
    pub tolerance: f64,
    /// Stop when the hold-out loss did not improve for so many iterations.
    pub patience: u64,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions {
            optimizer: Optimizer::Lbfgs,
            scaling: Scaling::Full,
            l2: 1e-6,
            prior: None,
            max_iters: 200,
            tolerance: 1e-7,
            patience: 12,
        }
    }
}

/// What is known after an iteration.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Step {
    /// 0 is the start.
    pub iteration: u64,
    /// Mean squared error, penalty included.
    pub loss: f64,
    /// Mean squared error on positions that the fit does not see.
    pub holdout: Option<f64>,
    /// CPU seconds since the descent began.
    pub cpu: f64,
}

/// Why it ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Hardly anything is left to gain.
    Converged,
    /// The hold-out loss stopped improving.
    HoldoutRose,
    /// As many iterations as allowed.
    OutOfIterations,
    /// By hand.
    Interrupted,
    /// The line search found no way down: the numbers are as good as their rounding.
    NoWayDown(String),
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ended::Converged => f.write_str("converged"),
            Ended::HoldoutRose => f.write_str("the hold-out loss stopped improving"),
            Ended::OutOfIterations => f.write_str("as many iterations as allowed"),
            Ended::Interrupted => f.write_str("interrupted"),
            Ended::NoWayDown(why) => write!(f, "no way further down ({why})"),
        }
    }
}

/// A finished descent.
pub struct Fit {
    /// The weights with the least hold-out loss, or the last if there is no hold-out.
    pub weights: Vec<Pair>,
    /// Their iteration.
    pub best_iteration: u64,
    /// Every iteration.
    pub curve: Vec<Step>,
    /// Why it ended.
    pub ended: Ended,
    /// How often it went over all positions.
    pub passes: u64,
}

/// A place to descend from.
#[derive(Clone, Copy)]
pub struct Descent<'a> {
    /// What is minimised.
    pub objective: Objective<'a>,
    /// Positions that only judge.
    pub holdout: Option<Objective<'a>>,
    /// What the penalty pulls towards.
    pub anchor: &'a [Pair],
    /// Where the descent begins.
    pub from: &'a [Pair],
    /// `// [weight]` which may move.
    pub free: &'a [bool],
    /// Set from outside to end it.
    pub stop: &'a AtomicBool,
}

/// A descent by parts begins with every so many-th chunk,
const PART: usize = 16;
/// if those hold so many positions,
const FEWEST: usize = 15_000;
/// with kinks that are rounded so widely, and goes no further there than the part can be told from the whole.
const PART_STAGE: Stage = Stage { softness: 30.0, max_iters: 60, tolerance: 1e-6 };
/// Then it takes more of them, which the curvature is also sampled from.
const LARGER_PART: usize = 4;
const LARGER_PART_STAGE: Stage = Stage { softness: 40.0, max_iters: 30, tolerance: 3e-7 };
/// With all of them it begins softly.
const SOFT_STAGE: Stage = Stage { softness: 6.0, max_iters: 5, tolerance: 1e-7 };

/// How much correlations are shrunk far from the minimum, where long steps leave the range in which the
/// curvature is known,
const FAR_SHRINKAGE: f64 = 0.03;
/// and near it, where the penalty alone keeps tame what positions say nothing about.
const NEAR_SHRINKAGE: f64 = 1e-5;

/// A pawn, the unit of the penalty.
const PAWN: f64 = 100.0;

/// The curvature that a penalty on all weights alike adds to every one.
fn even_ridge(l2: f64) -> f64 {
    2.0 * l2 / (PAWN * PAWN)
}

/// A piece of the way with kinks that are rounded: see [`Sums::softness`](engine::eval::gradient::Sums::softness).
#[derive(Clone, Copy)]
struct Stage {
    softness: f64,
    max_iters: u64,
    tolerance: f64,
}

impl Descent<'_> {
    /// Loss with penalty, and slope along every weight.
    pub(crate) fn penalised(&self, weights: &[Pair], ridge: &[Pair]) -> (f64, Vec<Pair>) {
        let (mut loss, mut gradient) = self.objective.loss_and_gradient(weights);
        for (((slope, weight), anchor), ridge) in gradient.iter_mut().zip(weights).zip(self.anchor).zip(ridge)
        {
            for half in 0..2 {
                let moved = weight[half] - anchor[half];
                loss += ridge[half] / 2.0 * moved * moved;
                slope[half] += ridge[half] * moved;
            }
        }
        (loss, gradient)
    }

    /// Runs to the end; `see` learns of every iteration with its weights.
    pub fn run(&self, options: &FitOptions, see: &mut dyn FnMut(&Step, &[Pair])) -> Fit {
        let began = cpu_seconds();
        return_freed_memory();
        let mut watch =
            Watch { descent: self, options, began, see, curve: Vec::new(), best: None, silent: false };
        let part = self.objective.store.thinned(PART);
        if options.optimizer == Optimizer::Lbfgs && options.scaling == Scaling::Full && part.len() >= FEWEST {
            return self.by_parts(&part, options, watch);
        }
        let survey = survey(&self.objective, self.from);
        let (free, ridge, scaling) = (self.free, options.ridge(), options.scaling_used());
        let preconditioner =
            Preconditioner::new(&self.objective, self.from, &survey, free, &ridge, scaling, FAR_SHRINKAGE);
        if preconditioner.is_empty() {
            let loss = self.penalised(self.from, &ridge).0;
            watch.look(self.from, loss, 0.0);
            return watch.finish(Ended::Converged, 1, self.from);
        }
        match options.optimizer {
            Optimizer::Adam => adam::descend(self, &preconditioner.variables, options, watch),
            Optimizer::Lbfgs => self.lbfgs(&preconditioner, options, None, watch),
        }
    }

    /// Descends on a part of the positions first: most of the way is the same for all of them, and the
    /// curvature near the bottom, which is not that of the start, makes the rest short.
    fn by_parts(&self, part: &Store, options: &FitOptions, watch: Watch) -> Fit {
        let seen = survey(&Objective { store: part, ..self.objective }, self.from);
        let (weights, part_passes) =
            self.on_a_part(part, &PART_STAGE, self.from, &seen, FAR_SHRINKAGE, options);
        let larger = self.objective.store.thinned(LARGER_PART);
        let more = larger.len() as f64 / part.len() as f64;
        let exercised = seen.exercised.iter().map(|&times| (times as f64 * more) as u64).collect();
        let seen = Survey { exercised, ..seen };
        let (weights, larger_passes) =
            self.on_a_part(&larger, &LARGER_PART_STAGE, &weights, &seen, NEAR_SHRINKAGE, options);
        let objective = Objective { store: &larger, softness: SOFT_STAGE.softness, ..self.objective };
        let ridge = options.ridge();
        let near = Preconditioner::new(
            &objective,
            &weights,
            &seen,
            self.free,
            &ridge,
            Scaling::Full,
            NEAR_SHRINKAGE,
        );
        let fit = Descent { from: &weights, ..*self }.lbfgs(&near, options, Some(SOFT_STAGE), watch);
        let others = part_passes.div_ceil(PART as u64) + larger_passes.div_ceil(LARGER_PART as u64) + 1;
        Fit { passes: fit.passes + others, ..fit }
    }

    /// Descends on some of the positions, without anybody watching; answers with its passes too.
    fn on_a_part(
        &self,
        part: &Store,
        stage: &Stage,
        from: &[Pair],
        seen: &Survey,
        shrinkage: f64,
        options: &FitOptions,
    ) -> (Vec<Pair>, u64) {
        let objective = Objective { store: part, softness: stage.softness, ..self.objective };
        let ridge = options.ridge();
        let preconditioner =
            Preconditioner::new(&objective, from, seen, self.free, &ridge, Scaling::Full, shrinkage);
        let tolerance = options.tolerance.max(stage.tolerance);
        let options = FitOptions { tolerance, max_iters: stage.max_iters, ..options.clone() };
        let descent = Descent { objective, holdout: None, from, ..*self };
        let watch = Watch {
            descent: &descent,
            options: &options,
            began: 0.0,
            see: &mut |_, _| {},
            curve: Vec::new(),
            best: None,
            silent: true,
        };
        let fit = descent.lbfgs(&preconditioner, &options, None, watch);
        (fit.weights, fit.passes)
    }

    /// The descent itself; if asked to, with rounded kinks at first, which nobody watches.
    fn lbfgs(
        &self,
        preconditioner: &Preconditioner,
        options: &FitOptions,
        softly: Option<Stage>,
        watch: Watch,
    ) -> Fit {
        let landscape = Landscape {
            descent: self,
            preconditioner,
            ridge: options.ridge(),
            softness: Cell::new(softly.map_or(self.objective.softness, |stage| stage.softness)),
            last: RefCell::new(None),
            passes: Cell::new(0),
        };
        let mut watched = Watched {
            solver: LBFGS::new(MoreThuenteLineSearch::new(), MEMORY),
            watch,
            landscape: &landscape,
            softly,
            hardens: false,
            ended: None,
            last: vec![0.0; preconditioner.len()],
        };
        let start = vec![0.0; preconditioner.len()];
        // One more looks at the same place with kinks as they are.
        let soft_iters = softly.map_or(0, |stage| stage.max_iters + 1);
        let executor = Executor::new(&landscape, BorrowedSolver(&mut watched))
            .configure(|state| state.param(start).max_iters(options.max_iters + soft_iters))
            .timer(false);
        let problem = match executor.run() {
            Ok(_) => None,
            // A line search that cannot find less is how floating point says that the bottom is reached.
            Err(error) => Some(error.to_string()),
        };
        let ended = match (watched.ended, problem) {
            (Some(ended), _) => ended,
            (None, Some(why)) => Ended::NoWayDown(why),
            (None, None) if watched.watch.curve.len() as u64 > options.max_iters => Ended::OutOfIterations,
            (None, None) => Ended::Converged,
        };
        let last = landscape.weights(&watched.last);
        watched.watch.finish(ended, landscape.passes.get(), &last)
    }
}

impl FitOptions {
    /// `// [weight]` The curvature that penalty and prior add.
    pub(crate) fn ridge(&self) -> Vec<Pair> {
        let even = even_ridge(self.l2);
        match &self.prior {
            None => vec![[even; 2]; EvalParams::COUNT],
            Some(prior) => prior.iter().map(|pair| pair.map(|known| known + even)).collect(),
        }
    }

    fn scaling_used(&self) -> Scaling {
        match self.optimizer {
            Optimizer::Lbfgs => self.scaling,
            Optimizer::Adam => Scaling::Diagonal,
        }
    }
}

/// Sees every iteration: keeps the best weights, and says when to stop.
pub(crate) struct Watch<'a> {
    descent: &'a Descent<'a>,
    options: &'a FitOptions,
    began: f64,
    see: &'a mut dyn FnMut(&Step, &[Pair]),
    curve: Vec<Step>,
    /// The least hold-out loss, its iteration and weights.
    best: Option<(f64, u64, Vec<Pair>)>,
    /// Whether iterations are nobody's business.
    silent: bool,
}

impl Watch<'_> {
    /// Takes note of an iteration; `left` estimates how much loss there is still to gain.
    pub(crate) fn look(&mut self, weights: &[Pair], loss: f64, left: f64) -> Option<Ended> {
        let iteration = self.curve.len() as u64;
        let holdout = self.descent.holdout.map(|holdout| holdout.loss(weights));
        let step = Step { iteration, loss, holdout, cpu: cpu_seconds() - self.began };
        self.curve.push(step);
        (self.see)(&step, weights);
        if let Some(holdout) = holdout
            && self.best.as_ref().is_none_or(|(best, ..)| holdout < *best)
        {
            self.best = Some((holdout, iteration, weights.to_vec()));
        }
        if self.descent.stop.load(Ordering::Relaxed) {
            return Some(Ended::Interrupted);
        }
        if left < self.options.tolerance {
            return Some(Ended::Converged);
        }
        if self.silent {
            return None;
        }
        if let Some((_, best, _)) = self.best
            && iteration >= best.saturating_add(self.options.patience)
        {
            return Some(Ended::HoldoutRose);
        }
        None
    }

    pub(crate) fn finish(self, ended: Ended, passes: u64, last: &[Pair]) -> Fit {
        let last_iteration = self.curve.last().map_or(0, |step| step.iteration);
        let (best_iteration, weights) = match self.best {
            Some((_, iteration, weights)) => (iteration, weights),
            None => (last_iteration, last.to_vec()),
        };
        Fit { weights, best_iteration, curve: self.curve, ended, passes }
    }
}

/// A point with its loss and slope.
struct Visited {
    point: Vec<f64>,
    loss: f64,
    slope: Vec<f64>,
}

/// The loss over the rescaled variables. The minimiser asks for cost and slope of the same point one after
/// the other; one pass gives both.
struct Landscape<'a> {
    descent: &'a Descent<'a>,
    preconditioner: &'a Preconditioner,
    /// `// [weight]`
    ridge: Vec<Pair>,
    softness: Cell<f64>,
    last: RefCell<Option<Visited>>,
    passes: Cell<u64>,
}

impl Landscape<'_> {
    fn weights(&self, variables: &[f64]) -> Vec<Pair> {
        let mut weights = self.descent.from.to_vec();
        let step = self.preconditioner.step(variables);
        for (&(weight, half), step) in self.preconditioner.variables.iter().zip(step) {
            weights[weight][half] += step;
        }
        weights
    }

    fn at(&self, variables: &[f64]) -> (f64, Vec<f64>) {
        if let Some(last) = &*self.last.borrow()
            && last.point == variables
        {
            return (last.loss, last.slope.clone());
        }
        self.passes.set(self.passes.get() + 1);
        let objective = Objective { softness: self.softness.get(), ..self.descent.objective };
        let (loss, gradient) =
            Descent { objective, ..*self.descent }.penalised(&self.weights(variables), &self.ridge);
        let slope = self.preconditioner.slope(&gradient);
        *self.last.borrow_mut() = Some(Visited { point: variables.to_vec(), loss, slope: slope.clone() });
        (loss, slope)
    }
}

impl CostFunction for &Landscape<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, variables: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.at(variables).0)
    }
}

impl Gradient for &Landscape<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, variables: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.at(variables).1)
    }
}

type Iterate = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;
type Lbfgs = LBFGS<MoreThuenteLineSearch<Vec<f64>, Vec<f64>, f64>, Vec<f64>, Vec<f64>, f64>;

/// L-BFGS with a watch on it.
struct Watched<'w, 'l> {
    solver: Lbfgs,
    watch: Watch<'w>,
    landscape: &'l Landscape<'l>,
    /// The stage with rounded kinks, until it is over.
    softly: Option<Stage>,
    /// Whether it is over just now.
    hardens: bool,
    ended: Option<Ended>,
    last: Vec<f64>,
}

/// Lends the solver to the executor, which would keep it otherwise.
struct BorrowedSolver<'a, 'w, 'l>(&'a mut Watched<'w, 'l>);

impl<'p> Solver<&'p Landscape<'p>, Iterate> for BorrowedSolver<'_, '_, '_> {
    fn name(&self) -> &str {
        "L-BFGS"
    }

    fn init(
        &mut self,
        problem: &mut Problem<&'p Landscape<'p>>,
        state: Iterate,
    ) -> Result<(Iterate, Option<KV>), Error> {
        self.0.solver.init(problem, state)
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<&'p Landscape<'p>>,
        state: Iterate,
    ) -> Result<(Iterate, Option<KV>), Error> {
        let watched = &mut *self.0;
        if !std::mem::take(&mut watched.hardens) {
            return watched.solver.next_iter(problem, state);
        }
        // From here on with kinks as they are. What was learned about the curvature is kept.
        watched.landscape.softness.set(watched.landscape.descent.objective.softness);
        watched.landscape.last.take();
        let (loss, slope) = watched.landscape.at(&watched.last);
        Ok((state.cost(loss).gradient(slope), None))
    }

    fn terminate(&mut self, state: &Iterate) -> TerminationStatus {
        let watched = &mut *self.0;
        let (Some(variables), Some(slope)) = (state.get_param(), state.get_gradient()) else {
            return TerminationStatus::NotTerminated;
        };
        watched.last.clone_from(variables);
        // With the curvature nearly the identity, half the squared slope is what a Newton step would gain.
        let left = slope.iter().map(|slope| slope * slope).sum::<f64>() / 2.0;
        if let Some(stage) = watched.softly {
            if state.get_iter() >= stage.max_iters || left < stage.tolerance {
                (watched.softly, watched.hardens) = (None, true);
            }
            if !watched.watch.descent.stop.load(Ordering::Relaxed) {
                return TerminationStatus::NotTerminated;
            }
        }
        let weights = watched.landscape.weights(variables);
        watched.ended = watched.watch.look(&weights, state.get_cost(), left);
        match &watched.ended {
            Some(ended) => TerminationStatus::Terminated(TerminationReason::SolverExit(ended.to_string())),
            None => TerminationStatus::NotTerminated,
        }
    }
}

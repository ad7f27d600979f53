// Weighted least squares of a few parameters, each with a prior: Gauss and Newton's method with numeric slopes.

export type Prior = { readonly mean: number; readonly deviation: number };

export type Problem = {
  readonly priors: readonly Prior[];
  readonly start: readonly number[];
  /** What the parameters give for each observation. */
  readonly predict: (parameters: readonly number[]) => readonly number[];
  readonly observed: readonly number[];
  /** One over the variance of each observation. */
  readonly weightsOf: (residuals: readonly number[]) => readonly number[];
};

export type Solution = {
  readonly parameters: readonly number[];
  readonly residuals: readonly number[];
  /** Of the parameters, row by row. */
  readonly covariance: readonly (readonly number[])[];
};

const MOST_STEPS = 30;
const MOST_HALVINGS = 8;
/** A step this small, in standard errors, ends the search. */
const SMALL = 1e-3;
/** A slope is taken over this many deviations of the prior. */
const SLOPE = 1e-4;

export function leastSquares(problem: Problem): Solution {
  const { priors, start, predict, observed, weightsOf } = problem;
  const residualsAt = (parameters: readonly number[]): number[] => {
    const predicted = predict(parameters);
    return observed.map((value, index) => value - (predicted[index] ?? 0));
  };
  const lossAt = (parameters: readonly number[], residuals: readonly number[], weights: readonly number[]): number =>
    residuals.reduce((sum, residual, index) => sum + (weights[index] ?? 0) * residual * residual, 0) +
    priors.reduce((sum, { mean, deviation }, index) => sum + (((parameters[index] ?? 0) - mean) / deviation) ** 2, 0);

  let parameters: readonly number[] = start;
  let residuals: readonly number[] = residualsAt(parameters);
  let normal = normalEquations(problem, parameters, residuals, residualsAt);
  for (let step = 0; step < MOST_STEPS; step++) {
    const weights = weightsOf(residuals);
    const change = solved(normal.matrix, normal.right);
    const before = lossAt(parameters, residuals, weights);
    let share = 1;
    let next: readonly number[] = parameters;
    let after: readonly number[] = residuals;
    let isBetter = false;
    for (let halving = 0; halving < MOST_HALVINGS && !isBetter; halving++) {
      if (halving > 0) share /= 2;
      next = parameters.map((value, index) => value + share * (change[index] ?? 0));
      after = residualsAt(next);
      isBetter = lossAt(next, after, weights) <= before;
      // a whole step this small is the end, whatever the last digits of the loss say
      if (share === 1 && lengthOf(change, normal.matrix) < SMALL) break;
    }
    if (!isBetter) break;
    const moved = share * lengthOf(change, normal.matrix);
    parameters = next;
    residuals = after;
    if (moved < SMALL) break;
    normal = normalEquations(problem, parameters, residuals, residualsAt);
  }
  return { parameters, residuals, covariance: inverse(normal.matrix) };
}

/** The longest part of a step, in standard errors. */
const lengthOf = (change: readonly number[], matrix: readonly (readonly number[])[]): number =>
  change.reduce((most, by, index) => Math.max(most, Math.abs(by) * Math.sqrt(matrix[index]?.[index] ?? 0)), 0);

/** JᵀWJ plus the priors, and the right side of a step. */
function normalEquations(
  { priors, weightsOf }: Problem,
  parameters: readonly number[],
  residuals: readonly number[],
  residualsAt: (parameters: readonly number[]) => readonly number[],
) {
  const weights = weightsOf(residuals);
  const slopes = priors.map(({ deviation }, index) => {
    const by = SLOPE * deviation;
    const near = residualsAt(parameters.map((value, other) => (other === index ? value + by : value)));
    return residuals.map((residual, row) => (residual - (near[row] ?? 0)) / by);
  });
  const matrix = slopes.map((slope, row) =>
    slopes.map((other, column) => {
      let sum = row === column ? 1 / (priors[row]?.deviation ?? 1) ** 2 : 0;
      for (let index = 0; index < weights.length; index++)
        sum += (weights[index] ?? 0) * (slope[index] ?? 0) * (other[index] ?? 0);
      return sum;
    }),
  );
  const right = slopes.map((slope, row) => {
    const { mean = 0, deviation = 1 } = priors[row] ?? {};
    let sum = (mean - (parameters[row] ?? 0)) / deviation ** 2;
    for (let index = 0; index < weights.length; index++)
      sum += (weights[index] ?? 0) * (slope[index] ?? 0) * (residuals[index] ?? 0);
    return sum;
  });
  return { matrix, right };
}

/** The x of a · x = b, for a positive definite a. */
function solved(a: readonly (readonly number[])[], b: readonly number[]): readonly number[] {
  const rows = a.map((row, index) => [...row, b[index] ?? 0]);
  const size = rows.length;
  for (let pivot = 0; pivot < size; pivot++) {
    const own = rows[pivot] ?? [];
    for (let row = pivot + 1; row < size; row++) {
      const other = rows[row] ?? [];
      const factor = (other[pivot] ?? 0) / (own[pivot] ?? 1);
      for (let column = pivot; column <= size; column++)
        other[column] = (other[column] ?? 0) - factor * (own[column] ?? 0);
    }
  }
  const x = new Array<number>(size).fill(0);
  for (let row = size - 1; row >= 0; row--) {
    const own = rows[row] ?? [];
    let value = own[size] ?? 0;
    for (let column = row + 1; column < size; column++) value -= (own[column] ?? 0) * (x[column] ?? 0);
    x[row] = value / (own[row] ?? 1);
  }
  return x;
}

const inverse = (matrix: readonly (readonly number[])[]): readonly (readonly number[])[] =>
  matrix.map((_row, index) =>
    solved(
      matrix,
      matrix.map((_other, column) => (column === index ? 1 : 0)),
    ),
  );

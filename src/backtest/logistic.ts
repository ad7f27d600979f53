// Logistic regression with a ridge penalty, by Newton's method (iteratively reweighted least squares:
// McCullagh and Nelder, Generalized Linear Models, 1989, chapter 2).

/** Per row: the features, the outcome, and the weight of the row. */
export type Sample = {
  readonly figures: readonly (readonly number[])[];
  readonly outcomes: readonly boolean[];
  readonly counts: readonly number[];
};

export type Logistic = {
  readonly bias: number;
  readonly means: readonly number[];
  readonly deviations: readonly number[];
  readonly weights: readonly number[];
};

const MOST_STEPS = 100;
const SMALL = 1e-10;

/** Fits the model. `ridge`: the penalty on the weights of standardized features; the bias has none. */
export function fitLogistic({ figures, outcomes, counts }: Sample, ridge: number): Logistic {
  const columns = figures[0]?.length ?? 0;
  const rows = figures.length;
  const means = new Array<number>(columns).fill(0);
  for (const row of figures)
    for (let k = 0; k < columns; k++) means[k] = (means[k] as number) + (row[k] as number) / rows;
  const squares = new Array<number>(columns).fill(0);
  for (const row of figures)
    for (let k = 0; k < columns; k++)
      squares[k] = (squares[k] as number) + ((row[k] as number) - (means[k] as number)) ** 2 / rows;
  // a constant feature carries no information: its weight stays 0
  const deviations = squares.map((square) => (square > SMALL ? Math.sqrt(square) : 1));
  const standard = figures.map((row) => [
    1,
    ...row.map((value, k) => (value - (means[k] as number)) / (deviations[k] as number)),
  ]);
  const size = columns + 1;
  let beta = new Array<number>(size).fill(0);
  for (let step = 0; step < MOST_STEPS; step++) {
    const gradient = beta.map((value, k) => (k === 0 ? 0 : ridge * value));
    const curvature = beta.map((_, k) => beta.map((__, l) => (k === l ? (k === 0 ? SMALL : ridge) : 0)));
    for (let index = 0; index < rows; index++) {
      const row = standard[index] as readonly number[];
      const p = 1 / (1 + Math.exp(-row.reduce((sum, value, k) => sum + value * (beta[k] as number), 0)));
      const count = counts[index] as number;
      const miss = count * (p - Number(outcomes[index]));
      const bend = count * p * (1 - p);
      for (let k = 0; k < size; k++) {
        gradient[k] = (gradient[k] as number) + miss * (row[k] as number);
        const line = curvature[k] as number[];
        for (let l = 0; l <= k; l++) line[l] = (line[l] as number) + bend * (row[k] as number) * (row[l] as number);
      }
    }
    const move = solved(curvature, gradient);
    beta = beta.map((value, k) => value - (move[k] as number));
    if (move.every((value) => Math.abs(value) < 1e-9)) break;
  }
  return { bias: beta[0] ?? 0, means, deviations, weights: beta.slice(1) };
}

/** Solves a linear system with a symmetric positive definite matrix, whose lower half is given (Cholesky). */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const size = right.length;
  const lower = matrix.map((row) => [...row]);
  const lowerAt = (row: number, column: number): number => lower[row]?.[column] ?? 0;
  for (let k = 0; k < size; k++)
    for (let row = k; row < size; row++) {
      let sum = lowerAt(row, k);
      for (let j = 0; j < k; j++) sum -= lowerAt(row, j) * lowerAt(k, j);
      (lower[row] as number[])[k] = row === k ? Math.sqrt(Math.max(sum, SMALL)) : sum / lowerAt(k, k);
    }
  const x = [...right];
  for (let k = 0; k < size; k++) {
    for (let j = 0; j < k; j++) x[k] = (x[k] as number) - lowerAt(k, j) * (x[j] as number);
    x[k] = (x[k] as number) / lowerAt(k, k);
  }
  for (let k = size - 1; k >= 0; k--) {
    for (let j = k + 1; j < size; j++) x[k] = (x[k] as number) - lowerAt(j, k) * (x[j] as number);
    x[k] = (x[k] as number) / lowerAt(k, k);
  }
  return x;
}

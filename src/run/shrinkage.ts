// Estimates of groups in families, each drawn towards its family and the families towards a common prior: normal
// distributions on a tree, solved exactly from the groups up to the root and back (Rauch, Tung and Striebel). A
// group without evidence has the mean of its family, and its error contains that of the family.

/** Two quantities that are estimated together. */
export type Pair = readonly [number, number];
/** A symmetric matrix: first with first, first with second, second with second. */
export type Symmetric = readonly [number, number, number];

/** What data say: their precision, and precision × estimate. A precision of 0: nothing. */
export type Evidence = { readonly precision: Symmetric; readonly pull: Pair };
/** What is believed: the mean and the variance. */
export type Belief = { readonly mean: Pair; readonly variance: Symmetric };

export const NO_EVIDENCE: Evidence = { precision: [0, 0, 0], pull: [0, 0] };

/** One deviation of the root's prior, of families around the root, and of groups around their family. */
export type Strengths = { readonly root: Pair; readonly families: Pair; readonly groups: Pair };

/**
 * @param families the evidence of each group, by family
 * @param prior the mean of the root
 * @returns the beliefs of the root, of each family, and of each group in it
 */
export function shrunk(
  families: readonly (readonly Evidence[])[],
  prior: Pair,
  strengths: Strengths,
): {
  readonly root: Belief;
  readonly families: readonly { readonly belief: Belief; readonly groups: readonly Belief[] }[];
} {
  const sums = families.map((groups) => sumOf(groups.map((evidence) => seenFrom(evidence, strengths.groups))));
  const atRoot = sumOf(sums.map((evidence) => seenFrom(evidence, strengths.families)));
  const root = believed(atRoot, strengths.root, { mean: prior, variance: [0, 0, 0] });
  return {
    root,
    families: families.map((groups, index) => {
      const belief = believed(sums[index] ?? NO_EVIDENCE, strengths.families, root);
      return { belief, groups: groups.map((evidence) => believed(evidence, strengths.groups, belief)) };
    }),
  };
}

const sumOf = (all: readonly Evidence[]): Evidence =>
  all.reduce(
    (sum, { precision, pull }) => ({
      precision: [sum.precision[0] + precision[0], sum.precision[1] + precision[1], sum.precision[2] + precision[2]],
      pull: [sum.pull[0] + pull[0], sum.pull[1] + pull[1]],
    }),
    NO_EVIDENCE,
  );

/** The precision of a deviation. */
const precisionOf = (deviation: Pair): Pair => [1 / deviation[0] ** 2, 1 / deviation[1] ** 2];

/** The variance under the evidence and a deviation around a known parent. */
function varianceOf({ precision }: Evidence, [first, second]: Pair): Symmetric {
  const [a, b, c] = [precision[0] + first, precision[1], precision[2] + second];
  const determinant = a * c - b * b;
  return [c / determinant, -b / determinant, a / determinant];
}

const times = ([a, b, c]: Symmetric, [x, y]: Pair): Pair => [a * x + b * y, b * x + c * y];

/** What the evidence of a child says of its parent. */
function seenFrom(evidence: Evidence, deviation: Pair): Evidence {
  const [d, e] = precisionOf(deviation);
  const [a, b, c] = varianceOf(evidence, [d, e]);
  const [x, y] = times([a, b, c], evidence.pull);
  return { precision: [d - d * a * d, 0 - d * b * e, e - e * c * e], pull: [d * x, e * y] };
}

/** The belief of a child, given that of its parent. */
function believed(evidence: Evidence, deviation: Pair, parent: Belief): Belief {
  const [d, e] = precisionOf(deviation);
  const own = varianceOf(evidence, [d, e]);
  const [a, b, c] = own;
  const { pull } = evidence;
  // the part of the parent's variance that reaches the child: G V Gᵀ with G = own × precision
  const [g, h, i, j] = [a * d, b * e, b * d, c * e];
  const [u, v, w] = parent.variance;
  return {
    mean: times(own, [pull[0] + d * parent.mean[0], pull[1] + e * parent.mean[1]]),
    variance: [
      a + g * g * u + 2 * g * h * v + h * h * w,
      b + g * i * u + (g * j + h * i) * v + h * j * w,
      c + i * i * u + 2 * i * j * v + j * j * w,
    ],
  };
}

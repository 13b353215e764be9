/** Boosted regression trees as plain lists, one entry a split or a leaf. */
export interface TreeEnsembleParameters {
  readonly trees: readonly TreeParameters[];
}

export interface TreeParameters {
  /** Column that a split looks at. */
  readonly feature: readonly number[];
  /** Values up to and including this go left. Exactly representable in 32 bits. */
  readonly threshold: readonly number[];
  /** Position of the next split; a leaf `l` is written as `-1 - l`. */
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly leaf: readonly number[];
}

/** Sums of boosted trees (Friedman 2001) over rows of 32-bit features, as LightGBM computes them without missing values. */
export class TreeEnsemble {
  readonly #features: Int32Array;
  readonly #thresholds: Float32Array;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  readonly #leaves: Float64Array;
  /** First entry of each tree: a split, or `-1 - leaf`. */
  readonly #roots: Int32Array;

  /** The parameters must be sound: `readRerankerModel` checks them. */
  constructor({ trees }: TreeEnsembleParameters) {
    const splits = trees.reduce((sum, { feature }) => sum + feature.length, 0);
    this.#features = new Int32Array(splits);
    this.#thresholds = new Float32Array(splits);
    this.#left = new Int32Array(splits);
    this.#right = new Int32Array(splits);
    this.#leaves = Float64Array.from(trees.flatMap(({ leaf }) => leaf));
    this.#roots = new Int32Array(trees.length);
    let firstSplit = 0;
    let firstLeaf = 0;
    trees.forEach((tree, t) => {
      const place = (child: number): number => (child < 0 ? child - firstLeaf : child + firstSplit);
      this.#roots[t] = tree.feature.length === 0 ? -1 - firstLeaf : firstSplit;
      this.#features.set(tree.feature, firstSplit);
      this.#thresholds.set(tree.threshold, firstSplit);
      this.#left.set(tree.left.map(place), firstSplit);
      this.#right.set(tree.right.map(place), firstSplit);
      firstSplit += tree.feature.length;
      firstLeaf += tree.leaf.length;
    });
  }

  /** Sum of the leaves that a row falls into. */
  predict(values: Float32Array, start: number): number {
    let sum = 0;
    for (const root of this.#roots) {
      let node = root;
      while (node >= 0) {
        const isLeft = (values[start + (this.#features[node] ?? 0)] ?? 0) <= (this.#thresholds[node] ?? 0);
        node = (isLeft ? this.#left[node] : this.#right[node]) ?? -1;
      }
      sum += this.#leaves[-1 - node] ?? 0;
    }
    return sum;
  }
}

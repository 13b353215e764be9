/** Learned by tools/fusion: logarithms of the odds of the dense lane where the tenth hits of both lanes stand equally high. */
export interface FusionParameters {
  /** By `modelNameOf`. */
  readonly models: Readonly<Record<string, number>>;
  /** For a model that was not measured: learned on the queries of all that were. */
  readonly unknownModel: number;
}

/** Logarithms of the odds of the dense lane. */
export interface LearnedLogOdds {
  /** With one weight for all queries. */
  readonly fixed: number;
  /** With weights by query: where the tenth hits of both lanes stand equally high. */
  readonly adaptive: number;
}

/** Learned by tools/fusion. */
export interface FusionParameters {
  /** By `modelNameOf`. */
  readonly models: Readonly<Record<string, LearnedLogOdds>>;
  /** For a model that was not measured: learned on the queries of all that were. */
  readonly unknownModel: LearnedLogOdds;
}

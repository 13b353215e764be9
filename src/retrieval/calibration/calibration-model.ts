import type { CalibrationFeature } from './calibration-features.js';

/** Logistic regression: probability = 1 / (1 + exp(-(bias + sum of weight * feature))). */
export interface CalibrationModel {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<CalibrationFeature, number>>>;
}

export interface ModelCalibration {
  readonly hybrid: CalibrationModel;
  readonly dense: CalibrationModel;
}

/** Parameters for one way to the final order. */
export interface StageCalibration {
  /** By `modelNameOf`. */
  readonly models: Readonly<Record<string, ModelCalibration>>;
  readonly unknownModel: ModelCalibration;
  readonly lexical: CalibrationModel;
}

/** `fused`: candidates in the order of the fusion. `reranked`: in the order of the built-in reranker. */
export type CalibratedStage = 'fused' | 'reranked';

export type CalibrationParameters = Readonly<Record<CalibratedStage, StageCalibration>>;

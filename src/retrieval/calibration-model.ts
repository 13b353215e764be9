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

export interface CalibrationParameters {
  /** By `modelNameOf`. */
  readonly models: Readonly<Record<string, ModelCalibration>>;
  readonly unknownModel: ModelCalibration;
  readonly lexical: CalibrationModel;
}

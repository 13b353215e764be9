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

interface CalibrationParameters {
  /** By `modelNameOf`. */
  readonly models: Readonly<Record<string, ModelCalibration>>;
  readonly unknownModel: ModelCalibration;
  readonly lexical: CalibrationModel;
}

const LEXICAL: CalibrationModel = { bias: -6, weights: { coverage: 5, fused: 2, identifier: 2 } };
const GENERIC: ModelCalibration = {
  hybrid: { bias: -6.5, weights: { coverage: 4, fused: 3, agreement: 0.5, identifier: 2 } },
  dense: { bias: -5, weights: { coverage: 3, fused: 2, identifier: 2 } },
};

export const CALIBRATION_PARAMETERS: CalibrationParameters = {
  models: {},
  unknownModel: GENERIC,
  lexical: LEXICAL,
};

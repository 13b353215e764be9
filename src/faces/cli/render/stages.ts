import type { StageTimes } from '../../../index.js';

/** `time: understand 0.1 ms, embed 0.4 ms, ...`, in the order in which the stages ended. */
export const renderStages = (stages: StageTimes): string =>
  `time: ${Object.entries(stages)
    .map(([stage, milliseconds]) => `${stage} ${milliseconds.toFixed(1)} ms`)
    .join(', ')}`;

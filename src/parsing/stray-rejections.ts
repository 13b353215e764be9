/**
 * What the parsing thread is started with, and no other part of the process: a promise that a library forgets, and that
 * then rejects, ends nothing there. Nobody awaits such a promise, so no document depends on it.
 */
export const TOLERATE_STRAY_REJECTIONS = '--unhandled-rejections=none';

/** Whether this code runs where a forgotten promise may reject. */
export const toleratesStrayRejections = (): boolean => process.execArgv.includes(TOLERATE_STRAY_REJECTIONS);

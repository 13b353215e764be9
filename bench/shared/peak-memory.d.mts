/** Most resident memory that this process had so far, in KiB. */
export function peakKiB(): number;

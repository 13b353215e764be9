// `--import` this to write the peak memory of the process, in KiB, to the file named by RAGSTONE_MEMORY_REPORT at its end.
import { writeFileSync } from 'node:fs';
import { peakKiB } from '../shared/peak-memory.mjs';

process.on('exit', () => {
  writeFileSync(process.env.RAGSTONE_MEMORY_REPORT, String(peakKiB()));
});

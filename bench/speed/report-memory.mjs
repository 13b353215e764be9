// `--import` this to write the peak memory of the process, in KiB, to the file named by RAGSTONE_MEMORY_REPORT at its end.
import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => {
  writeFileSync(process.env.RAGSTONE_MEMORY_REPORT, String(peakKiB()));
});

/** On Linux `maxRSS` begins with the peak of the process that started this one; the status begins anew. */
function peakKiB() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
}

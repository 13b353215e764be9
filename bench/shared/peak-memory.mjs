import { readFileSync } from 'node:fs';

/** On Linux `maxRSS` begins with the peak of the process that started this one; the status begins anew. */
export function peakKiB() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}

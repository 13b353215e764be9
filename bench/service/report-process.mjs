// `--import` this to answer `reset` and `read` from the parent with the delay of the event loop, and with the memory, the open descriptors and the
// processor time of this process and its children; delay and processor time since the last reset.
import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const MILLISECOND = 1e6;
/** Of Linux: what `/proc` counts in. */
const [TICK_MS, PAGE_BYTES] = [10, 4096];

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let cpu = cpuMs();

/** This process and the processes that it has started. */
function processes() {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  return [process.pid, ...children];
}

/** Fields of `/proc/PID/stat` behind the name, which may hold anything. */
function statistics() {
  return processes().map((pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' '));
}

function openDescriptors() {
  return processes().reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0);
}

function cpuMs() {
  return statistics().reduce((sum, fields) => sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS, 0);
}

function rssMiB() {
  return statistics().reduce((sum, fields) => sum + (Number(fields[21]) * PAGE_BYTES) / 2 ** 20, 0);
}

process.on('message', (message) => {
  if (message === 'reset') {
    delay.reset();
    cpu = cpuMs();
  }
  process.send?.({
    delayMs: {
      p50: delay.percentile(50) / MILLISECOND,
      p99: delay.percentile(99) / MILLISECOND,
      max: delay.max / MILLISECOND,
    },
    rssMiB: rssMiB(),
    openDescriptors: openDescriptors(),
    cpuMs: cpuMs() - cpu,
  });
});
process.channel?.unref();

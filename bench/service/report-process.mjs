// `--import` this to answer `reset` and `read` from the parent with the delay of the event loop, the memory and the processor time since the last reset.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const MILLISECOND = 1e6;
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let cpu = process.cpuUsage();

process.on('message', (message) => {
  if (message === 'reset') {
    delay.reset();
    cpu = process.cpuUsage();
  }
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({
    delayMs: {
      p50: delay.percentile(50) / MILLISECOND,
      p99: delay.percentile(99) / MILLISECOND,
      max: delay.max / MILLISECOND,
    },
    rssMiB: process.memoryUsage.rss() / 2 ** 20,
    cpuMs: (user + system) / 1000,
  });
});
process.channel?.unref();

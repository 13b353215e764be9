import type { FactHost } from '../features/extraction/fact-host.js';
import type { ViewHandlers } from '../operations/operations.js';

/** Which call it is, as others are told who holds the index. */
interface FactCall {
  readonly command: string;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a call with what it works with. */
type RunFactCall = <Outcome>(call: FactCall, work: (host: FactHost) => Promise<Outcome>) => Promise<Outcome>;

/** Facts and summaries of an engine. What they need is loaded by the first call. */
export const graphFactsOver = (run: RunFactCall): ViewHandlers['facts'] => ({
  async estimate({ signal, ...asked }) {
    const { estimateExtraction } = await import('../features/extraction/fact-counts.js');
    return run({ command: 'graph estimate', signal }, (host) => estimateExtraction(asked, host));
  },
  async extract(asked) {
    const { extractFacts } = await import('../features/extraction/extract-facts.js');
    return run({ command: 'graph extract', signal: asked.signal }, (host) => extractFacts(asked, host));
  },
  async summarize(asked) {
    const { summarizeFacts } = await import('../features/extraction/summarize-facts.js');
    return run({ command: 'graph summarize', signal: asked.signal }, (host) => summarizeFacts(asked, host));
  },
  async status() {
    const { factStatus } = await import('../features/extraction/fact-counts.js');
    return run({ command: 'graph status' }, factStatus);
  },
  async summaries({ signal, ...asked }) {
    const { listSummaries } = await import('../features/extraction/list-summaries.js');
    return run({ command: 'graph summaries', signal }, (host) => listSummaries(asked, host));
  },
  async entity(name) {
    const { reportEntity } = await import('../features/extraction/entity-report.js');
    return run({ command: 'graph entity' }, (host) => reportEntity(name, host));
  },
});

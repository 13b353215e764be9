import { callPart } from '../platform/degradation/breakers.js';
import type { GenerationReader, Ledger } from './ledger.js';

/** A ledger on a server whose answers go through its breaker wherever a search is made (`callPart`). Locks and writes ask the ledger itself. */
export const guardedLedger = (ledger: Ledger): Ledger =>
  guarded(ledger, {
    reader: (generation) => guarded<GenerationReader>(ledger.reader(generation), {}),
    writer: ledger.writer.bind(ledger),
    ...(ledger.lock === undefined ? {} : { lock: ledger.lock.bind(ledger) }),
    close: ledger.close.bind(ledger),
  });

/** Every method of a part of the ledger asks the server. */
function guarded<Part extends object>(part: Part, own: Partial<Part>): Part {
  return new Proxy(part, {
    get: (target, name) => {
      if (name in own) return own[name as keyof Part];
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): Promise<unknown> =>
        callPart('ledger', () => Promise.resolve(member.apply(target, given) as unknown));
    },
  });
}

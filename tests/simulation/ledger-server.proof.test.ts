import { describe, it } from 'vitest';
import { testLedger } from '../../src/testing/index.js';
import { LedgerServer } from './ledger-server.js';

testLedger({
  name: 'memory, of the simulator',
  runner: { describe, it },
  create: async (options) => {
    const server = new LedgerServer(options);
    return {
      open: async () => server.connect(),
      openForReading: async () => server.connect({ readOnly: true }),
    };
  },
});

import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { createEngine } from './create-engine.js';

test.each(['libsql', 'memory'] as const)(
  'a closed engine over %s says so, whatever is asked',
  async (provider) => {
    const engine = await createEngine({ config: { provider }, cwd: temporaryFolder() });
    await engine.index({ documents: [{ id: 'a.md', text: 'Audit logs are kept for 30 days.' }] });
    expect((await engine.search('audit logs')).results).toHaveLength(1);
    await engine.close();
    await engine.close();
    const refusal = { reason: 'USAGE', message: expect.stringContaining('closed') };
    await expect(engine.search('audit logs')).rejects.toMatchObject(refusal);
    await expect(engine.ask('How long are audit logs kept?')).rejects.toMatchObject(refusal);
    await expect(engine.explainMiss('audit logs', 'a.md')).rejects.toMatchObject(refusal);
    await expect(engine.index({ documents: [] })).rejects.toMatchObject(refusal);
    await expect(engine.status()).rejects.toMatchObject(refusal);
    await expect(engine.verify()).rejects.toMatchObject(refusal);
    await expect(engine.clear()).rejects.toMatchObject(refusal);
  },
);

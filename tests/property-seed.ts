import fc from 'fast-check';

// Property tests look at the same cases in each run, so that a run that fails says something of the change before it. `RAGSTONE_SEED=N` looks at
// others, `RAGSTONE_SLOW=1` at new ones each time.
const { RAGSTONE_SEED, RAGSTONE_SLOW } = process.env;
if (RAGSTONE_SEED !== undefined) fc.configureGlobal({ seed: Number(RAGSTONE_SEED) });
else if (RAGSTONE_SLOW !== '1') fc.configureGlobal({ seed: 20_261_123 });

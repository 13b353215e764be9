// Folders of `src` know each other in no circle, types included; tests may reach anywhere.
const { options } = require('./.dependency-cruiser.cjs');

// These still do, through the types of the engine.
const knot =
  'audit|deployments|engine|explain-miss|extraction|feedback|forgetting|indexing|maintenance|migration|monitoring|searching|sync|testing|upgrading';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles-of-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/[^/]+$', pathNot: `^src/(${knot})$` },
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: '(\\.test|/test-[^/]+)\\.ts$' } },
};

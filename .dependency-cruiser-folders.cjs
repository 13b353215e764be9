// Folders of `src` know each other in no circle, types included; tests may reach anywhere.
const { options } = require('./.dependency-cruiser.cjs');

module.exports = {
  forbidden: [
    {
      name: 'no-cycles-of-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/[^/]+$' },
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: '(\\.test|/test-[^/]+)\\.ts$' } },
};

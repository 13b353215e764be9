import type * as Transformers from '@huggingface/transformers';
import { RAGError } from '../../core/errors.js';

/** The optional package, as far as it is used here. */
export type TransformersPackage = Pick<
  typeof Transformers,
  'AutoModel' | 'AutoTokenizer' | 'Tensor' | 'env' | 'LogLevel'
>;

const INSTALL = 'npm install @huggingface/transformers@4.3.1';

/**
 * Loads the optional package and keeps it quiet: only its errors are printed, to standard error.
 * @param importPackage How to load it; for tests.
 * @throws RAGError `PACKAGE_MISSING` with the command that installs it.
 */
export async function loadTransformers(
  importPackage: () => Promise<TransformersPackage> = () => import('@huggingface/transformers'),
): Promise<TransformersPackage> {
  try {
    const transformers = await importPackage();
    transformers.env.logLevel = transformers.LogLevel.ERROR;
    return transformers;
  } catch (error) {
    throw new RAGError(
      'PACKAGE_MISSING',
      `The transformers embedder needs the package @huggingface/transformers, which could not be loaded. Install it: ${INSTALL}`,
      { cause: error, details: { package: '@huggingface/transformers', version: '4.3.1', install: INSTALL } },
    );
  }
}

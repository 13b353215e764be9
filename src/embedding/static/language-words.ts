import { BUILTIN_MODEL_FOLDER, readVocabulary } from './model-folder.js';

/**
 * Words of the language: those that are one piece in the built-in model's vocabulary. It was made of an encyclopaedia and
 * books, so it holds names and hardly a mistyped word.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export async function loadLanguageWords(folder: string = BUILTIN_MODEL_FOLDER): Promise<ReadonlySet<string>> {
  return new Set(await readVocabulary(folder));
}

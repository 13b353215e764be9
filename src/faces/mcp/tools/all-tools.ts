import { askTool } from './ask.js';
import { explainTool } from './explain.js';
import { findConflictsTool } from './find-conflicts.js';
import { getDocumentTool } from './get-document.js';
import { listSourcesTool } from './list-sources.js';
import { relatedDocumentsTool } from './related-documents.js';
import { searchTool } from './search.js';
import type { Tool } from './tool.js';

/** In the order in which assistants list them. None of them writes. */
export const TOOLS: readonly Tool[] = [
  searchTool,
  askTool,
  getDocumentTool,
  relatedDocumentsTool,
  findConflictsTool,
  explainTool,
  listSourcesTool,
];

import type { UploadRequest } from './types.js';

/** Files and their fields as the form that the service reads: lists are repeated, objects are JSON. */
export function formOf({ files, ...fields }: UploadRequest): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (one !== undefined) form.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one));
  for (const { name, content } of files) form.append('file', content, name);
  return form;
}

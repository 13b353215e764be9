import * as z from 'zod';
import { verdictFields } from '../../../operations/feedback-types.js';
import { string } from '../../../operations/requests/outcome-fields.js';
import { tenantText } from './common.js';

export const feedbackRequest = z.strictObject({
  requestId: string
    .regex(/^[\w.:-]{1,100}$/, 'an id of a request')
    .describe('Of the search or answer: its `requestId`, or the header `x-request-id`.'),
  ...verdictFields,
  tenantId: tenantText,
});

export const feedbackId = z.object({ id: string });

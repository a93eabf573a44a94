import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { TraceEntryView } from '#licensing/licenses/validation/view.ts';
import { requestRecord } from './record.ts';

/** A recorded request without its explanation. */
export const RequestView = storedView(requestRecord, [
  'id',
  'at',
  'method',
  'route',
  'status',
  'code',
  'bucket',
  'licenseId',
  'apiKeyId',
  'ip',
  'userAgent',
  'ms',
]).meta({ id: 'Request' });

/** What the decision looked at, and how it came about; nulls where nothing was decided. */
export const ExplainedRequestView = later(() =>
  RequestView.extend({
    facts: z.record(z.string(), z.unknown()).nullable(),
    trace: z.array(TraceEntryView).nullable(),
    /** What the limit that refused it has refused its caller; null for any other answer. */
    refusal: z
      .object({
        who: z.string(),
        limit: z.string(),
        count: z.int(),
        firstAt: instant(),
        /** Raises the limit. */
        command: z.string(),
      })
      .nullable(),
  }).meta({ id: 'ExplainedRequest' }),
);

export const DecisionPage = z
  .object({ items: z.array(RequestView), pagination: Pagination })
  .meta({ id: 'DecisionPage' });

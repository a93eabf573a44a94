import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { offlineTokenRecord } from './record.ts';

/** An offline token that was issued; it is not kept itself. */
export const IssuedTokenView = storedView(offlineTokenRecord, [
  'id',
  'licenseId',
  'activationId',
  'machineDigest',
  'issuedAt',
  'expiresAt',
  'issuedBy',
]).meta({ id: 'OfflineToken' });

/** The token itself, null on the plan of one. */
export const TokenTextView = later(() =>
  z.object({ token: z.string().nullable(), expiresAt: instant() }).meta({ id: 'OfflineTokenText' }),
);

export const IssuedTokenPage = z
  .object({ items: z.array(IssuedTokenView), pagination: Pagination })
  .meta({ id: 'OfflineTokenPage' });

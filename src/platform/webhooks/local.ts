import type { LocalPart } from '#kernel/capability.ts';
import { allowedPrivateCidrs, allowHttp } from './settings.ts';

// An event of a short command is sent by the server that runs beside it: its deliveries are frozen all the same.
export { webhookSource } from './deliveries/source.ts';

export const webhooksLocal = {
  name: 'webhooks',
  settings: [allowHttp, allowedPrivateCidrs],
} satisfies LocalPart;

import { z } from 'zod';
import type { LocalPart } from '#kernel/capability.ts';
import { type Setting, setting } from '#kernel/settings.ts';

export const messageDays = setting({
  key: 'contact_message_days',
  group: 'general',
  description: 'Days for which messages of the contact form are kept after they were marked as done',
  schema: z.int('must be a whole number').min(1).max(3650),
  default: 365,
});

export const messagesLocal = {
  name: 'shop-messages',
  settings: [messageDays] as readonly unknown[] as readonly Setting[],
} satisfies LocalPart;

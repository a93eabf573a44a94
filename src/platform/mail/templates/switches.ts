import type { Ctx } from '#kernel/context.ts';
import type { MailSpec } from '#kernel/mail.ts';
import { switchOf } from './words.ts';

/** Whether staff may switch a mail off: not one that somebody waits for or is warned by. */
export const canBeOff = ({ isSecret, isNeeded = false }: Pick<MailSpec, 'isSecret' | 'isNeeded'>): boolean =>
  !isSecret && !isNeeded;

/** Whether a mail is sent at all; of one that staff switched nothing of, as it was declared. */
export const isOn = async (ctx: Ctx, mail: MailSpec): Promise<boolean> =>
  !canBeOff(mail) || ((await switchOf(ctx, mail.key)) ?? !mail.isOffAtFirst);

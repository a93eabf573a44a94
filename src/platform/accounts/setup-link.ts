import type { Ctx } from '#kernel/context.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import { issue, look } from '../one-time-tokens/index.ts';
import { findOwner, ownerExists } from './accounts.ts';
import type { Link } from './links.ts';
import { SETUP, setupFile } from './setup-file.ts';

/** The link is about no account: there is none yet. */
const SUBJECT = 'installation';
const SECONDS = 30 * 60;

/**
 * Makes the link under which a browser makes the owner of a new installation; an earlier one ends. It is also in
 * `{data_dir}/setup-token` (0600), for whoever does not see the terminal (cli.md section 6.3).
 *
 * @param seconds how long it is valid
 * @throws AppError CONFLICT when there is an owner
 */
export async function issueSetupLink(ctx: Ctx, seconds: number = SECONDS): Promise<Link> {
  const owner = await findOwner(ctx);
  if (owner) throw ownerExists(owner.email);
  const { token, expiresAt } = await issue(ctx, { purpose: SETUP, subjectId: SUBJECT, seconds });
  const url = `${ctx.baseUrl}/admin/setup?token=${token}`;
  writePrivateFile(setupFile(ctx), `${url}\n`);
  return { url, expiresAt };
}

/** Whether a setup link may make the owner now. */
export const isSetupOpen = async (ctx: Ctx, token: string): Promise<boolean> =>
  (await look(ctx, SETUP, token)) !== null && (await findOwner(ctx)) === null;

import type { ConfigInput } from '#kernel/config/sources.ts';
import { checks } from '../../app/capabilities.ts';
import { examine } from '../../app/examine.ts';
import { openScope } from '../doctor/scope.ts';

/** Lines of the launch checklist that are not done yet. */
export async function leftForLaunch(input: ConfigInput): Promise<string[]> {
  const { scope, close } = await openScope(input);
  try {
    const left: string[] = [];
    for (const check of checks) {
      if (check.launch === undefined) continue;
      const { status } = await examine(check, scope);
      if (status === 'warn' || status === 'fail') left.push(check.launch);
    }
    return left;
  } finally {
    await close();
  }
}

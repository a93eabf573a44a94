import type { Ctx } from '#kernel/context.ts';
import { goTo, page, show } from '#kernel/http/page.ts';
import { countAll } from '#licensing/insight/totals/index.ts';
import { findOwner } from '#platform/accounts/index.ts';
import { storeOpen } from '#storefront/index.ts';

/** Something that a new installation still lacks, and what makes it. */
interface Step {
  readonly title: string;
  readonly isDone: boolean;
  readonly command: string;
}

/**
 * The page of an address without a shop: it says that the appliance runs, and while it has no owner or staff looks at it,
 * what is still missing. Nobody else reads what an installation lacks.
 */
export const welcomePage = (hasLicensing: boolean) =>
  page({
    path: '/',
    title: 'Running',
    audience: 'public',
    show: async (ctx) => {
      if (ctx.settings.get(storeOpen)) return goTo('/shop/');
      const owner = await findOwner(ctx);
      const isShown = owner === null || ctx.actor.kind === 'staff';
      const steps = isShown ? await stepsOf(ctx, owner !== null, hasLicensing) : [];
      return show('platform/welcome', {
        hasOwner: owner !== null,
        hasLicensing,
        steps: steps.some(({ isDone }) => !isDone) ? steps : [],
      });
    },
  });

async function stepsOf(ctx: Ctx, hasOwner: boolean, hasLicensing: boolean): Promise<Step[]> {
  const owner = {
    title: 'An owner who signs in to the panel',
    isDone: hasOwner,
    command: 'appctl open setup',
  };
  if (!hasLicensing) return [owner];
  const { products, licenses } = await countAll(ctx);
  return [
    owner,
    {
      title: 'A product to create licenses for',
      isDone: products > 0,
      command: 'appctl product create --name Editor --slug editor',
    },
    {
      title: 'An API key for your application, and a first license',
      isDone: licenses > 0,
      command:
        'appctl apikey create --service license --name app --scope VALIDATE_ONLY\nappctl license mint --product editor --email ann@example.com',
    },
  ];
}

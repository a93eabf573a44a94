import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { page, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { PANEL } from '#platform/panel/index.ts';
import { ACTIONS, type SimulationInput } from './schemas.ts';
import { type Simulated, simulate } from './simulate.ts';

/** What an application asks first, in this order. */
const USUAL = ['validate', 'activate', 'checkout'] as const;
/** Each of them needs more than the others, or changes what the others are asked of. */
const ASKABLE = ACTIONS.filter((one) => one !== 'renew');

const typed = () => z.string().max(500).optional();
/** What a license that does not exist is, until somebody says otherwise. */
const DRAFT = { type: 'PERPETUAL', tier: 'PERSONAL' };

/** Texts of the form; the simulation judges them. Unknown parameters say nothing. */
const Query = later(() =>
  z.object({
    licenseId: typed(),
    action: typed(),
    machineId: typed(),
    appVersion: typed(),
    entitlement: typed(),
    at: typed(),
    productId: typed(),
    type: typed(),
    tier: typed(),
  }),
);
type Texts = z.output<typeof Query>;

/** An answer, as its page shows it. */
interface Answer extends Simulated {
  readonly action: string;
}

/** What the service would answer now, or at another time, and why (licensing 6.5). */
export const simulatorPages = [
  page({
    path: '/admin/simulator',
    title: 'Simulator',
    audience: { staff: 'licensing:read' },
    layout: PANEL,
    help: 'explain-a-refusal',
    nav: { area: 'insights', label: 'Simulator', words: 'explain try why refused', order: 60 },
    query: Query,
    async show(ctx, { query }) {
      const { answers, fault } = await answersTo(ctx, query);
      const values = { ...DRAFT, ...query };
      const data = { answers, fault, actions: ASKABLE, types: LICENSE_TYPES, tiers: LICENSE_TIERS, values };
      return show(
        'licensing/simulator',
        { ...data, now: ctx.now() },
        { values, status: fault === null ? 200 : 400 },
      );
    },
  }),
];

/** @returns no answers while nothing is asked; `fault` in place of what cannot be answered */
async function answersTo(ctx: Ctx, texts: Texts): Promise<{ answers: Answer[]; fault: string | null }> {
  if (!texts.licenseId && !texts.productId) return { answers: [], fault: null };
  const actions = texts.action ? [texts.action] : USUAL;
  try {
    const answers = [];
    for (const action of actions) answers.push({ action, ...(await simulate(ctx, asked(texts, action))) });
    return { answers, fault: null };
  } catch (error) {
    if (!(error instanceof AppError && error.status < 500)) throw error;
    return { answers: [], fault: error.message };
  }
}

function asked(texts: Texts, action: string): SimulationInput {
  const { licenseId, productId, type, tier, at, machineId, appVersion, entitlement } = { ...DRAFT, ...texts };
  const given = {
    licenseId,
    machineId,
    appVersion,
    entitlement,
    at: at && utcOf(at),
    ...(!licenseId && { draft: { productId, type, tier } }),
  };
  const filled = Object.entries(given).filter(([, value]) => value !== undefined && value !== '');
  return { action, ...Object.fromEntries(filled) } as SimulationInput;
}

/** A browser sends a time without its zone, which its label names. */
const utcOf = (text: string): string =>
  /T\d\d:\d\d$/.test(text) ? `${text}:00Z` : `${text.replace(/Z$/, '')}Z`;

import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { FormRefusal, goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { getWhole } from '#storefront/catalog/products/index.ts';
import { GrantForm, inputIn, valuesOf } from './form.ts';
import { removeGrant, setGrant } from './grants.ts';
import type { LicenseGrant } from './record.ts';
import * as repo from './repository.ts';
import { type GrantState, stateOf } from './state.ts';
import { choices, wordsOf } from './words.ts';

/** Products that a list to choose from holds; one that is chosen already is always part of it. */
const MOST_PICKED = 200;

const pathOf = (productId: string): string => `/store/products/${encodeURIComponent(productId)}`;

/** The variants of a product, each with its license, and the form of the one that is edited. */
async function modelOf(ctx: Ctx, productId: string, variantId: string | undefined) {
  const { product, variants } = await getWhole(ctx, productId);
  const lines = [];
  let edited: { id: string; sku: string; state: GrantState | null } | null = null;
  for (const { id, sku, title } of variants) {
    const grant = await repo.grantOf(ctx, id);
    const state = grant && (await stateOf(ctx, grant));
    if (id === variantId || (variantId === undefined && variants.length === 1)) edited = { id, sku, state };
    lines.push({ id, sku, title, words: state && wordsOf(state), problem: state?.problem ?? null });
  }
  return {
    title: product.title,
    isOfLicenses: product.type === 'license',
    isPublished: product.status === 'active',
    lines,
    edited: edited && { id: edited.id, sku: edited.sku, hasGrant: edited.state !== null },
    pick: await pickFor(ctx, edited?.state?.grant ?? null),
    choices,
    back: pathOf(productId),
    action: `${pathOf(productId)}/license`,
    mayWrite: allows(ctx.actor, 'products:write'),
    values: edited?.state ? valuesOf(edited.state.grant) : {},
  };
}

/** License products and policies to choose from, with what is chosen although it is gone. */
async function pickFor(ctx: Ctx, grant: LicenseGrant | null) {
  const found = await products.pickable(ctx, { limit: MOST_PICKED });
  const [first] = found;
  const offered = found
    .filter(({ id, status }) => status !== 'DISCONTINUED' || id === grant?.licenseProductId)
    .map(({ id, name, slug, status }) => ({
      value: id,
      label: `${name} (${slug})${status === 'ACTIVE' ? '' : ` · ${status.toLowerCase()}`}`,
    }));
  const policies = (first?.policies ?? [])
    .map(({ id, name }) => ({ value: id, label: name }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
  return {
    products: including(offered, grant?.licenseProductId),
    policies: [{ value: '', label: 'Same as the license product' }, ...including(policies, grant?.policyId)],
  };
}

type Choice = { readonly value: string; readonly label: string };

const including = (all: readonly Choice[], id: string | null | undefined): readonly Choice[] =>
  !id || all.some(({ value }) => value === id) ? all : [...all, { value: id, label: `${id} (deleted)` }];

const FIELDS: Readonly<Record<string, string>> = {
  license_product_id: 'product',
  licenseProductId: 'product',
  policy_id: 'policy',
  policyId: 'policy',
  duration_days: 'days',
  durationDays: 'days',
  maxActivations: 'machines',
  maxUses: 'uses',
  maxVersion: 'version',
};

/** What the use case refuses is said at the field that it names. */
async function orRefused(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // One of the form names its fields already.
    if (error instanceof FormRefusal || !(error instanceof AppError) || ![400, 409].includes(error.status))
      throw error;
    const issues = (error.details.issues ?? []) as readonly { path: string; message: string }[];
    const faults = issues.map(({ path, message }) => {
      const [name = ''] = path.split('.');
      return [FIELDS[name] ?? name, message] as const;
    });
    const isOurs = faults.length > 0 && faults.every(([field]) => Object.hasOwn(GrantForm.shape, field));
    if (!isOurs) throw refuseForm(error.message, {}, error.status);
    throw refuseForm('The license was not saved', Object.fromEntries(faults), error.status);
  }
}

/** The licenses of the variants of a product: one form at a time. */
const licensePage = page({
  path: '/store/products/{id}/license',
  title: 'Licenses of a product',
  audience: { staff: 'products:read' },
  layout: PANEL,
  help: 'sell-license-keys',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  query: z.object({ variant: z.string().max(40).optional() }),
  form: later(() =>
    z.object({
      ...GrantForm.shape,
      variant: text({ min: 1, max: 40 }),
      do: oneOf(['save', 'ask', 'remove']),
      product: optional(text({ max: 40 })),
    }),
  ),
  async show(ctx, { params: { id }, query }) {
    const { values, ...model } = await modelOf(ctx, id, query.variant);
    return show('store/license-grant', { ...model, asks: false }, { values });
  },
  async submit(ctx, { params: { id }, form }) {
    if (!allows(ctx.actor, 'products:write'))
      throw new AppError('INSUFFICIENT_SCOPE', 403, 'You can view licenses but not change them');
    const { variants } = await getWhole(ctx, id);
    if (!variants.some((one) => one.id === form.variant))
      throw new AppError('NOT_FOUND', 404, `This product has no variant ${form.variant}`);
    if (form.do === 'ask') {
      const { values, ...model } = await modelOf(ctx, id, form.variant);
      return show('store/license-grant', { ...model, asks: true }, { values });
    }
    await orRefused(async () =>
      form.do === 'remove'
        ? removeGrant(ctx, form.variant)
        : setGrant(ctx, form.variant, inputIn({ ...form, product: form.product ?? '' })),
    );
    return goTo(`${pathOf(id)}/license`);
  },
});

/** Pages of the licenses that variants are sold with. */
export const licenseGrantPages: readonly Page[] = [licensePage];

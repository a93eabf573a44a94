import { z } from 'zod';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import * as settings from '#platform/settings/index.ts';
import { builtFeatures, featureSettings, storeOpen } from '#storefront/contract/settings.ts';
import { brandingPage } from './branding-page.ts';
import { emailPage } from './email-page.ts';
import { formOf, valuesOf, viewsOf } from './form.ts';
import { act, groupModel, shared } from './group-page.ts';
import { type Group, groups, labelOf, START } from './groups.ts';
import { labelsPage } from './labels-page.ts';
import { paymentPage, processorPages } from './payment-pages.ts';

/** The groups, each with what somebody has set in it. */
const startPage = page({
  ...shared,
  path: START,
  title: 'Settings of the shop',
  nav: {
    area: 'store',
    label: 'Settings',
    words: 'configuration currency tax shipping email payment',
    order: 900,
  },
  async show(ctx) {
    await settings.refresh(ctx);
    return show('store/settings', {
      isOpen: ctx.settings.get(storeOpen),
      groups: groups.map((group) => ({
        href: group.path,
        label: group.label,
        about: group.about,
        set: viewsOf(ctx, group)
          .filter(({ changed }) => changed)
          .map((one) => ({ label: labelOf(one.key), value: shortened(settings.written(one.value)) })),
      })),
    });
  },
});

/** Style sheets are long. */
const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

const groupPage = (group: Group): Page =>
  page({
    ...shared,
    path: group.path,
    title: group.label,
    query: later(() => z.object({ done: z.string().max(10).optional() })),
    form: formOf(group),
    formBytes: 256 * 1024,
    async show(ctx, { query }) {
      await settings.refresh(ctx);
      return show('store/settings-group', groupModel(ctx, group, query.done), {
        values: valuesOf(ctx, group),
      });
    },
    async submit(ctx, { form }) {
      return goTo(`${group.path}?done=${await act(ctx, group, form)}`);
    },
  });

const featuresGroup: Group = {
  name: 'features',
  path: `${START}/features`,
  label: 'Features',
  about: 'Parts of the shop that can be turned off. Their pages and links disappear, but stored data is kept',
  keys: builtFeatures.map((key) => featureSettings[key].key),
};

/** Pages of groups of which a form alone says too little. */
const own: Readonly<Record<string, (group: Group) => Page>> = {
  branding: brandingPage,
  email: emailPage,
  payment: paymentPage,
};

/** Features that this version has; the others are not offered. */
const featuresPage: Page = groupPage(featuresGroup);

export const settingsPages: readonly Page[] = [
  startPage,
  ...groups.map((group) => (own[group.name] ?? groupPage)(group)),
  ...groups.filter(({ name }) => name === 'payment').flatMap(processorPages),
  featuresPage,
  labelsPage,
];

import type { Ctx } from '#kernel/context.ts';
import { sizeText } from '#kernel/size-words.ts';
import type { ShopProduct } from '#storefront/catalog/products/view.ts';
import { timezone } from '#storefront/contract/settings.ts';
import type { ShopWords } from './words.ts';

type License = ShopProduct['variants'][number]['license'];

/** What license a buyer gets, row by row (shop-pages 2.2); none for what is sold without one. */
export function licenseRows(ctx: Ctx, license: License, { t, lang }: ShopWords) {
  if (license === null) return [];
  const { type, tier, duration_days: days, max_activations: number, max_version: version, release } = license;
  // What has an end is never called perpetual.
  const shown = type === 'PERPETUAL' && days !== null ? 'LIMITED' : type;
  const day = new Intl.DateTimeFormat(lang, {
    dateStyle: 'medium',
    timeZone: ctx.settings.get(timezone),
  });
  return [
    { label: t('license.one'), value: `${t(`license.type_${shown}`)} · ${t(`license.tier_${tier}`)}` },
    {
      label: t('license.machines'),
      value: t(type === 'FLOATING' ? 'license.terms_seats' : 'license.terms_machines', { number }),
    },
    {
      label: t('license.valid_until'),
      value: days === null ? t('license.no_end') : t('license.terms_days', { number: days }),
    },
    {
      label: t('license.updates'),
      value: version === null ? t('license.terms_updates_all') : t('license.terms_updates', { version }),
    },
    release && {
      label: t('license.newest'),
      value: [
        release.version,
        sizeText(release.size),
        release.published_at === null ? null : day.format(new Date(release.published_at)),
      ]
        .filter((one) => one !== null)
        .join(' · '),
    },
  ].filter((one) => one !== null);
}

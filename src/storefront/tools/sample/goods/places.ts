import type { CollectionLine } from '../../transfer/index.ts';

/** Categories as a tree: slug, name, what its page says, and what is under it. */
export interface SampleCategory {
  readonly slug: string;
  readonly name: string;
  readonly says: string;
  readonly under?: readonly SampleCategory[];
}

const leaf = (
  slug: string,
  name: string,
  says: string,
  under?: readonly SampleCategory[],
): SampleCategory => ({
  slug,
  name,
  says,
  ...(under && { under }),
});

export const categories: readonly SampleCategory[] = [
  leaf('outdoor', 'Outdoor', 'Gear for weekends that begin on Friday and for trips that need a map.', [
    leaf('camping', 'Camping', 'Shelter, sleep, supper and light.', [
      leaf('tents', 'Tents', 'From a light dome for two to a cabin for the family.'),
      leaf('sleeping', 'Sleeping gear', 'Mats and hammocks for a good night outside.'),
      leaf('camp-kitchen', 'Camp kitchen', 'Stoves, mugs and bottles that like rough handling.'),
      leaf('camp-lighting', 'Camp lighting', 'Warm light for long evenings.'),
    ]),
    leaf('outdoor-clothing', 'Outdoor clothing', 'Layers that work together, from the skin to the rain.', [
      leaf('jackets', 'Jackets', 'Rain, wind and cold stay outside.'),
      leaf('layers', 'Shirts and layers', 'Merino that is fresh on the fourth day.'),
      leaf('hats-gloves', 'Hats and gloves', 'For the parts that get cold first.'),
      leaf('footwear', 'Footwear', 'Boots that can be resoled.'),
    ]),
    leaf('packs-bags', 'Packs and bags', 'To carry it all without noticing.', [
      leaf('backpacks', 'Backpacks', 'Day packs and trekking packs.'),
      leaf('travel-bags', 'Travel and work bags', 'Cases, totes and briefcases.'),
    ]),
  ]),
  leaf('home', 'Home', 'Things you touch every day, made to be kept.', [
    leaf('kitchen', 'Kitchen and dining', 'Fewer tools, better ones.', [
      leaf('cookware', 'Cookware', 'Pans and kettles for every stove.'),
      leaf('tableware', 'Tableware', 'Stoneware, enamel and wood for the table.'),
      leaf('kitchen-tools', 'Kitchen tools', 'Knives, boards and grinders.'),
    ]),
    leaf('living', 'Living', 'Wool, linen and warm light.', [
      leaf('textiles', 'Textiles', 'Blankets, cushions and towels.'),
      leaf('lighting', 'Lighting', 'Lamps to read, work and sit by.'),
      leaf('decor', 'Decoration', 'Vases, candles and one quiet clock.'),
      leaf('storage', 'Storage and seating', 'Baskets and stools.'),
    ]),
  ]),
  leaf('office', 'Office', 'A desk you look forward to.', [
    leaf('desk', 'Desk', 'Order and light.', [
      leaf('desk-organizers', 'Organizers and mats', 'Everything has its place.'),
      leaf('desk-lighting', 'Desk lamps', 'Light where you read.'),
    ]),
    leaf('paper', 'Paper and pens', 'For people who still write things down.', [
      leaf('notebooks', 'Notebooks', 'Paper that takes a fountain pen.'),
      leaf('pens', 'Pens', 'Refillable, for good.'),
    ]),
    leaf('desk-tech', 'Desk tech', 'Quiet, wireless and repairable.', [
      leaf('keyboards-audio', 'Keyboards and audio', 'For hands and ears.'),
      leaf('stands-mats', 'Stands', 'Bring the screen to your eyes.'),
    ]),
  ]),
  leaf('digital', 'Software and downloads', 'Yours a minute after you pay.', [
    leaf('software', 'Software', 'Programs that run on your computer and keep your data there.', [
      leaf('productivity', 'Productivity', 'Money, tasks and privacy.'),
      leaf('creative-apps', 'Photo and audio', 'Develop, cut and mix.'),
    ]),
    leaf('downloads', 'Downloads', 'Guides, templates and presets.', [
      leaf('guides', 'Guides and e-books', 'Read them on any device.'),
      leaf('templates', 'Templates and icons', 'A head start for your next project.'),
      leaf('presets', 'Photo presets', 'Looks for every light.'),
    ]),
  ]),
];

const collection = (
  slug: string,
  title: string,
  description: string,
  more: Partial<CollectionLine> & Pick<CollectionLine, 'filled'>,
): CollectionLine => ({ kind: 'collection', slug, title, description, ...more });

export const collections: readonly CollectionLine[] = [
  collection('staff-picks', 'Staff picks', 'What we use ourselves and would buy again.', {
    filled: 'manual',
    sort: 'manual',
  }),
  collection(
    'autumn-outdoors',
    'Autumn outdoors',
    'Rain jackets, warm layers and light for early evenings.',
    { filled: 'manual', sort: 'manual' },
  ),
  collection('on-sale', 'On sale', 'Good things for less, while they last.', {
    filled: 'rule',
    match: 'all',
    sort: 'newest',
    rules: [{ field: 'on_sale', op: 'is', value: 'true' }],
  }),
  collection('gifts-under-50', 'Gifts under 50', 'Small enough to wrap, good enough to keep.', {
    filled: 'rule',
    match: 'all',
    sort: 'price_asc',
    rules: [
      { field: 'tag', op: 'is', value: 'gift' },
      { field: 'price_cents', op: 'less_than', value: '5000' },
    ],
  }),
  collection('bestsellers', 'Bestsellers', 'What leaves our shelves fastest.', {
    filled: 'rule',
    match: 'all',
    sort: 'best_selling',
    rules: [{ field: 'tag', op: 'is', value: 'bestseller' }],
  }),
  collection('northfell', 'Northfell', 'Everything by Northfell: outdoor gear that can be repaired.', {
    filled: 'rule',
    match: 'all',
    sort: 'name',
    rules: [{ field: 'brand', op: 'is', value: 'Northfell' }],
  }),
];

/** What the collections that are filled by hand hold. */
export const picks: Readonly<Record<string, readonly string[]>> = {
  'staff-picks': [
    'carbon-steel-pan',
    'trailhead-30-backpack',
    'harbor-wool-blanket',
    'field-notebook-a5',
    'studio-headphones',
    'dune-table-lamp',
    'aperture-lab',
    'stormwall-jacket',
  ],
  'autumn-outdoors': [
    'stormwall-jacket',
    'kindling-down-jacket',
    'lookout-beanie',
    'cinder-gloves',
    'fellwalker-boots',
    'hearth-lantern',
    'merino-base-shirt',
    'summit-bottle',
  ],
};

import { stockReasons } from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';

export const inventoryGroup: GroupSpec = { path: 'store inventory', summary: 'what is in stock' };

const sku: ArgSpec = { name: 'sku', summary: 'SKU or id of the variant' };
const output = () => import('./schemas.ts').then((schemas) => schemas.InventoryOutput);

const because = (standing: string): readonly OptionSpec[] => [
  { name: 'reason', value: 'REASON', summary: `reason; ${standing} by default`, choices: stockReasons },
  { name: 'note', value: 'TEXT', summary: 'note for the history of the variant' },
];

export const inventoryCommands: readonly CommandSpec[] = [
  {
    path: 'store inventory show',
    summary: 'show the stock of a variant',
    args: [sku],
    runs: ['L', 'R'],
    examples: [
      'appctl store inventory show MUG-BLUE',
      'appctl store inventory show MUG-BLUE --json | jq .available',
    ],
    exits: [3, 4],
    output,
    load: () => import('./inventory.ts').then((actions) => actions.showInventory),
  },
  {
    path: 'store inventory set',
    summary: 'set the stock of a variant to a counted number',
    args: [sku, { name: 'units', summary: 'number of units in stock' }],
    options: because('count'),
    runs: ['L', 'R'],
    examples: ['appctl store inventory set MUG-BLUE 40'],
    confirm: 'mild',
    exits: [3, 4],
    output,
    load: () => import('./inventory.ts').then((actions) => actions.setInventory),
  },
  {
    path: 'store inventory adjust',
    summary: 'add units to the stock of a variant, or remove some',
    args: [sku, { name: 'units', summary: 'units to add; a negative number removes units' }],
    options: because('correction'),
    runs: ['L', 'R'],
    examples: [
      'appctl store inventory adjust MUG-BLUE 12 --reason received',
      'appctl store inventory adjust MUG-BLUE -1 --reason damaged',
    ],
    confirm: 'mild',
    exits: [3, 4],
    output,
    load: () => import('./inventory.ts').then((actions) => actions.adjustInventory),
  },
];

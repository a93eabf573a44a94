import { box, type Colors, darker, gleam, group, lighter, line, mix, oval, path, times } from './paint.ts';

/** A boxed program: its mark stands for what it does. */
const boxed = ({ main, accent }: Colors, mark: string): string =>
  path('M 330 330l130-90h480l-90 90z', lighter(main, 0.45)) +
  path('M 850 330l90-90v590l-90 100z', darker(main, 0.5)) +
  box([330, 330, 520, 600], 6, 'url(#m)') +
  path('M 330 770l520-160v320H 330z', accent, 'opacity=".85"') +
  mark +
  line('M 390 850h240M 390 890h150', '#fff', 12, 'opacity=".8"') +
  gleam('M 330 330h90v600h-90z', 0.12);

export const chartBox = (colors: Colors): string =>
  boxed(
    colors,
    times(5, (at) =>
      box(
        [430 + at * 68, 640 - [60, 130, 100, 190, 240][at]!, 46, [60, 130, 100, 190, 240][at]!],
        8,
        '#fff',
        'opacity=".92"',
      ),
    ),
  );

export const checkBox = (colors: Colors): string =>
  boxed(
    colors,
    times(
      3,
      (at) =>
        box([420, 420 + at * 90, 56, 56], 14, '#fff', 'opacity=".92"') +
        line(`M 434 ${448 + at * 90}l14 14 24-28`, colors.main, 10) +
        box([504, 436 + at * 90, 260 - at * 50, 24], 12, '#fff', 'opacity=".8"'),
    ),
  );

export const waveBox = (colors: Colors): string =>
  boxed(
    colors,
    times(11, (at) => {
      const height = [60, 120, 200, 140, 240, 180, 250, 150, 210, 110, 60][at] ?? 80;
      return box([410 + at * 34, 540 - height / 2, 20, height], 10, '#fff', 'opacity=".92"');
    }),
  );

export const lensBox = (colors: Colors): string =>
  boxed(
    colors,
    oval([590, 520, 140, 140], '#fff', 'opacity=".92"') +
      oval([590, 520, 108, 108], darker(colors.main, 0.4)) +
      oval([590, 520, 62, 62], colors.accent) +
      oval([556, 486, 24, 24], '#fff'),
  );

export const shieldBox = (colors: Colors): string =>
  boxed(
    colors,
    path('M 590 390l130 44c6 120-40 200-130 246-90-46-136-126-130-246z', '#fff', 'opacity=".92"') +
      line('M 530 530l44 46 82-92', colors.main, 24),
  );

/** A book of pages on a screen. */
export const book = ({ main, accent }: Colors): string =>
  path('M 840 250l50 30v680l-50-20z', '#ece5d8') +
  times(5, (at) => line(`M ${846 + at * 9} ${258 + at * 5}v690`, '#cfc5b2', 2)) +
  box([330, 220, 520, 720], 12, 'url(#m)') +
  box([330, 220, 46, 720], 8, darker(main, 0.4), 'opacity=".7"') +
  path('M 376 940V 720l130-150 100 110 90-90 154 170v180z', mix(accent, main, 0.25), 'opacity=".95"') +
  path('M 376 940V 800l110-90 120 100 100-60 144 110v80z', accent, 'opacity=".8"') +
  oval([700, 480, 60, 60], lighter(accent, 0.55)) +
  line('M 440 310h330M 440 360h230', '#fff', 20, 'opacity=".92"') +
  line('M 440 410h140', '#fff', 9, 'opacity=".7"');

/** Photographs in the tones of a preset. */
export const photos = ({ main, accent }: Colors): string =>
  times(3, (at) =>
    group(
      `rotate(${-12 + at * 12} 600 640) translate(${-60 + at * 60} ${at === 1 ? -40 : 20})`,
      box([330, 270, 540, 620], 10, '#fbfaf7') +
        box([362, 302, 476, 470], 4, mix(lighter(accent, 0.5), main, at * 0.3)) +
        oval([700, 420, 56, 56], lighter(accent, 0.7)) +
        path('M 362 772V 620l130-120 110 100 120-150 116 140v182z', mix(main, accent, at * 0.35)) +
        path('M 362 772v-70l120-60 130 50 226-60v140z', darker(main, 0.35)),
    ),
  );

/** A sheet of pictograms. */
export const icons = ({ main, accent }: Colors): string =>
  box([260, 260, 680, 680], 60, '#fbfaf7') +
  times(16, (at) => {
    const [x, y] = [310 + (at % 4) * 152, 310 + Math.floor(at / 4) * 152];
    const mark = [
      oval([x + 60, y + 60, 30, 30], '#fff'),
      line(`M ${x + 34} ${y + 62}l18 20 34-40`, '#fff', 12),
      box([x + 34, y + 38, 52, 44], 8, '#fff'),
      line(`M ${x + 60} ${y + 34}v52M ${x + 34} ${y + 60}h52`, '#fff', 12),
    ][(at * 7) % 4];
    return (
      box([x, y, 120, 120], 32, at % 3 === 0 ? accent : mix(main, accent, (at % 5) * 0.14)) + (mark ?? '')
    );
  });

/** A map with the lines of equal height. */
export const chart = ({ main, accent }: Colors): string =>
  group(
    'rotate(-5 600 600)',
    path('M 230 330l250-60 240 60 250-60v600l-250 60-240-60-250 60z', lighter(main, 0.75)) +
      path('M 480 270l240 60v600l-240-60z', lighter(main, 0.6)) +
      times(
        6,
        (at) =>
          `<ellipse cx="${520 + at * 6}" cy="${560 + at * 5}" rx="${260 - at * 40}" ry="${190 - at * 29}" fill="none" stroke="${mix(main, '#ffffff', 0.2)}" stroke-width="7" opacity=".7"/>`,
      ) +
      line('M 300 800q90-160 220-120t160-180 220-110', accent, 16, 'stroke-dasharray="4 34"') +
      path('M 890 300c54 0 84 40 84 84 0 60-84 130-84 130s-84-70-84-130c0-44 30-84 84-84z', accent) +
      oval([890, 384, 32, 32], '#fff'),
  );

/** A window with a page that is to be filled in. */
export const sheet = ({ main, accent }: Colors): string =>
  box([220, 270, 760, 640], 28, '#fdfcfa') +
  path('M 220 298c0-16 12-28 28-28h704c16 0 28 12 28 28v72H 220z', 'url(#v)') +
  times(3, (at) => oval([270 + at * 44, 320, 13, 13], '#fff', 'opacity=".85"')) +
  box([260, 410, 180, 460], 14, lighter(main, 0.8)) +
  times(5, (at) => box([282, 440 + at * 56, 136 - (at % 3) * 24, 22], 11, mix(main, '#ffffff', 0.35))) +
  times(3, (at) =>
    box([474 + at * 160, 410, 142, 130], 16, [main, accent, lighter(main, 0.5)][at] ?? main, 'opacity=".9"'),
  ) +
  box([474, 566, 462, 304], 16, lighter(accent, 0.82)) +
  line('M 500 820l90-110 90 60 110-140 120 60', accent, 14) +
  times(4, (at) => line(`M 500 ${620 + at * 62}h410`, mix(main, '#ffffff', 0.7), 3));

/** A card that pays. */
export const giftCard = ({ main, accent }: Colors): string =>
  group(
    'rotate(-9 600 620)',
    box([200, 370, 800, 500], 48, darker(main, 0.5)) +
      box([200, 360, 800, 496], 48, 'url(#v)') +
      box([360, 360, 90, 496], 0, accent) +
      path(
        'M 405 560c-120-150-200 20-30 20M 405 560c120-150 200 20 30 20',
        'none',
        `stroke="${lighter(accent, 0.4)}" stroke-width="26" stroke-linecap="round"`,
      ) +
      line('M 560 700h330M 560 750h210', '#fff', 18, 'opacity=".75"') +
      oval([880, 470, 50, 50], lighter(main, 0.6), 'opacity=".8"'),
  );

import { box, type Colors, darker, gleam, group, lighter, line, oval, path, times } from './paint.ts';

export const tent = ({ main, accent }: Colors): string =>
  path('M 600 300c210 60 340 330 420 630H 180c80-300 210-570 420-630z', 'url(#m)') +
  path('M 600 300c70 160 90 400 80 630h340C 940 630 810 360 600 300z', darker(main, 0.28), 'opacity=".75"') +
  path('M 600 330c-90 160-150 380-150 600h230c10-220-6-450-80-600z', accent) +
  path('M 600 420c-70 140-106 320-108 510h70c0-190 12-380 38-510z', darker(accent, 0.55)) +
  line('M 600 300C 480 440 380 690 350 930M 600 300c120 140 220 390 250 630', lighter(main, 0.5), 7) +
  line('M 180 930l-90 10M 1020 930l90 10', '#4b5563', 6) +
  gleam('M 520 360q-180 180-270 540h40q90-330 250-520z', 0.25);

export const backpack = ({ main, accent }: Colors): string =>
  line('M 520 250c0-90 160-90 160 0', darker(main, 0.4), 26) +
  path('M 400 420c0-130 80-180 200-180s200 50 200 180l30 420c6 70-60 92-230 92s-236-22-230-92z', 'url(#m)') +
  path('M 372 560c-70 20-86 90-86 220 0 60 30 90 84 96z', darker(main, 0.25)) +
  path('M 828 560c70 20 86 90 86 220 0 60-30 90-84 96z', darker(main, 0.45)) +
  path(
    'M 430 620h340c30 0 44 20 46 60l8 150c2 60-30 70-224 70s-226-10-224-70l8-150c2-40 16-60 46-60z',
    'url(#a)',
  ) +
  line('M 440 660h320', darker(accent, 0.45), 10) +
  line('M 424 400c90 40 262 40 352 0', darker(main, 0.45), 10) +
  box([560, 470, 80, 70], 10, lighter(accent, 0.2)) +
  times(2, (at) => line(`M ${500 + at * 200} 410v210`, darker(main, 0.5), 20)) +
  gleam('M 440 350q-26 60-24 200h30q-4-130 24-220z');

const body =
  'M 600 250c70 0 130 20 190 60l160 330-110 50-70-120 10 330c0 20-80 32-180 32s-180-12-180-32l10-330-70 120-110-50 160-330c60-40 120-60 190-60z';

export const jacket = ({ main, accent }: Colors): string =>
  path('M 500 300c-30-130 40-170 100-170s130 40 100 170z', darker(main, 0.3)) +
  path(body, 'url(#m)') +
  path('M 790 310l160 330-110 50-80-170z', darker(main, 0.35), 'opacity=".6"') +
  path('M 500 270c20 60 60 90 100 90s80-30 100-90c-30-14-170-14-200 0z', darker(main, 0.5)) +
  line('M 600 350v580', accent, 12) +
  line('M 470 690l70 60M 730 690l-70 60', darker(main, 0.5), 12) +
  line('M 420 560h360', darker(main, 0.2), 6, 'opacity=".6"') +
  gleam('M 470 350q-60 60-130 250l24 14q70-170 126-244z', 0.3);

export const shirt = ({ main, accent }: Colors): string =>
  path(body, 'url(#m)') +
  path('M 790 310l160 330-110 50-80-170z', darker(main, 0.35), 'opacity=".5"') +
  path('M 510 262c10 70 50 100 90 100s80-30 90-100c-30-16-150-16-180 0z', darker(main, 0.45)) +
  line('M 505 262c10 86 55 116 95 116s85-30 95-116', accent, 14) +
  times(9, (at) => line(`M 432 ${520 + at * 42}q168 18 336 0`, darker(main, 0.3), 4, 'opacity=".3"')) +
  line('M 424 890q176 26 352 0', accent, 12);

export const beanie = ({ main, accent }: Colors): string =>
  oval([600, 330, 78, 74], 'url(#a)') +
  path('M 330 720c-10-240 90-370 270-370s280 130 270 370z', 'url(#m)') +
  times(9, (at) =>
    line(
      `M ${370 + at * 58} 700q${(at - 4) * -8}-180 ${(4 - at) * 26}-320`,
      darker(main, 0.3),
      6,
      'opacity=".4"',
    ),
  ) +
  box([300, 690, 600, 190], 60, 'url(#a)') +
  times(16, (at) => line(`M ${334 + at * 36} 712v146`, darker(accent, 0.35), 6, 'opacity=".5"'));

export const gloves = ({ accent }: Colors): string => {
  const hand =
    path(
      'M 420 920V 700l-90-110c-30-50 30-90 66-50l40 50-4-200c0-56 70-56 74 0l4 130 2-190c0-60 76-60 78 0l2 190 8-160c4-54 72-50 72 4l-6 190 10-90c8-46 68-40 66 8l-10 300-20 148z',
      'url(#m)',
    ) +
    box([402, 800, 300, 130], 30, 'url(#a)') +
    line('M 420 840h264M 420 886h264', darker(accent, 0.35), 7);
  return (
    group('translate(-40 0) rotate(-8 500 700)', hand) + group('translate(150 10) rotate(10 500 700)', hand)
  );
};

export const boots = ({ main, accent }: Colors): string => {
  const boot =
    path('M 330 300h230l20 330c120 40 250 70 270 190H 330z', 'url(#m)') +
    path('M 310 800h560c20 60 10 110-10 130H 330c-24-30-26-80-20-130z', '#30353c') +
    times(7, (at) => box([340 + at * 74, 900, 40, 34], 6, '#1d2126')) +
    times(5, (at) => line(`M 470 ${360 + at * 58}l120 ${14 + at * 8}`, accent, 13)) +
    box([318, 280, 256, 60], 24, darker(main, 0.4)) +
    gleam('M 350 350h28l4 420h-32z', 0.25);
  return group('translate(200 -70) scale(.94)', boot) + group('translate(-110 20)', boot);
};

export const lantern = ({ accent }: Colors): string =>
  line('M 440 420c-30-300 350-300 320 0', '#434a52', 20) +
  path('M 460 400h280l-30-90H 490z', 'url(#m)') +
  oval([600, 610, 240, 240], '#ffd98a', 'opacity=".35"') +
  box([470, 400, 260, 400], 60, '#fff3cf') +
  oval([600, 620, 70, 120], '#ffc95c') +
  oval([600, 640, 34, 74], '#fff') +
  line('M 470 420v380M 730 420v380M 535 420v380M 665 420v380', '#434a52', 9, 'opacity=".7"') +
  path('M 430 800h340l30 130H 400z', 'url(#m)') +
  oval([600, 866, 30, 30], accent);

export const stove = ({ main, accent }: Colors): string =>
  times(3, (at) => line(`M 600 700L ${360 + at * 240} ${at === 1 ? 900 : 930}`, '#59616b', 26)) +
  box([540, 560, 120, 170], 20, 'url(#a)') +
  path('M 440 470h320l-40 100H 480z', 'url(#s)') +
  times(5, (at) =>
    path(
      `M ${470 + at * 65} 470c-30-50 10-70 0-110 50 30 50 80 0 110z`,
      at % 2 ? '#4aa3ff' : '#7cc4ff',
      'opacity=".9"',
    ),
  ) +
  path('M 400 120h400v180c0 30-60 50-200 50s-200-20-200-50z', 'url(#m)') +
  oval([600, 120, 200, 36], darker(main, 0.4)) +
  line('M 800 190h190', '#2b3036', 30) +
  line('M 660 650c120 0 180 60 210 200', darker(accent, 0.2), 18) +
  box([800, 800, 170, 130], 30, 'url(#m)');

export const roll = ({ main, accent }: Colors): string =>
  path('M 330 560h560c90 0 130 90 130 186s-40 186-130 186H 330z', 'url(#v)') +
  oval([330, 746, 140, 186], darker(main, 0.2)) +
  times(
    4,
    (at) =>
      `<ellipse cx="330" cy="746" rx="${118 - at * 30}" ry="${160 - at * 40}" fill="none" stroke="${lighter(main, 0.45)}" stroke-width="14"/>`,
  ) +
  times(2, (at) => box([500 + at * 270, 552, 54, 386], 10, accent)) +
  times(2, (at) => box([492 + at * 270, 690, 70, 90], 14, '#2b3036')) +
  gleam('M 480 590h460q30 6 46 34H 480z', 0.25);

export const hammock = ({ main, accent }: Colors): string =>
  times(2, (at) => box([at ? 1020 : 120, 200, 60, 740], 24, 'url(#w)')) +
  path('M 180 420c120 420 720 420 840 0-60 40-110 230-420 230S240 460 180 420z', 'url(#v)') +
  times(4, (at) =>
    path(
      `M ${250 + at * 190} ${560 + (at === 1 || at === 2 ? 90 : 10)}q60 60 120 ${at < 2 ? 60 : -40}l-20 46q-80 0-130-60z`,
      accent,
      'opacity=".55"',
    ),
  ) +
  line('M 180 420l-30-70M 1020 420l30-70', darker(main, 0.5), 14);

export const poles = ({ main, accent }: Colors): string =>
  times(2, (at) =>
    group(
      `rotate(${at ? 14 : -14} 600 600)`,
      box([590, 150, 22, 790], 10, 'url(#s)') +
        box([582, 420, 38, 260], 16, 'url(#m)') +
        box([572, 120, 58, 190], 28, 'url(#k)') +
        line('M 600 140c90 40 90 140 20 170', accent, 14) +
        oval([600, 880, 54, 16], '#2b3036'),
    ),
  ) + line('M 420 900q180 40 360 0', darker(main, 0.3), 3, 'opacity=".2"');

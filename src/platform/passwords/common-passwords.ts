/**
 * Whether a password is one of those that are tried first (reliability M13): a common word or name, alone or with
 * digits and signs around it, also with digits in place of letters; a walk over the keyboard; a count; one piece again
 * and again. Rules stand for the usual list of 3,000, most of whose entries are such forms of some hundred words.
 */
export function isCommon(password: string): boolean {
  const lower = password.toLowerCase();
  return isWalk(lower) || isRepeated(lower) || wordsIn(lower).some((word) => words.has(word));
}

/** What a password is once what people put around a word is taken away. */
function wordsIn(lower: string): string[] {
  const bare = lower.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  // The last letter may be written as a digit too: `p4ssw0rd`, `admin1`, `l3tm31n!`.
  const plain = [lower, lower.replace(/[^\p{L}\d]+$/u, ''), lower.replace(/[^\p{L}]+$/u, '')].map(asLetters);
  return [bare, ...plain, ...plain.map((word) => word.replaceAll(/[^\p{L}]/gu, ''))];
}

const LETTERS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
const asLetters = (text: string): string => text.replaceAll(/[013457@$!]/g, (sign) => LETTERS[sign] ?? sign);

/** `aaaaaaaa`, `abcabcabc`, `12121212`. */
const isRepeated = (lower: string): boolean => /^(.{1,4})\1+$/u.test(lower);

const ROWS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'a1b2c3d4e5f6g7h8i9',
  '147258369',
  '159753',
  '!@#$%^&*()',
];
const lines = ROWS.flatMap((row) => [row, [...row].reverse().join('')]);
const SHORTEST_PIECE = 3;

/** Made of pieces of three and more from lines that fingers follow: `qwerty123456`, `asdf1234`. */
function isWalk(lower: string): boolean {
  let at = 0;
  while (at < lower.length) {
    const length = longestPiece(lower, at);
    if (length < SHORTEST_PIECE) return false;
    at += length;
  }
  return true;
}

function longestPiece(lower: string, at: number): number {
  let length = 0;
  while (at + length < lower.length && lines.some((line) => line.includes(lower.slice(at, at + length + 1))))
    length += 1;
  return length;
}

const words = new Set(
  `password passwort passwd passphrase pass contrasena contrasenya motdepasse senha parola heslo haslo salasana wachtwoord
  secret geheim topsecret changeme changeit default letmein welcome willkommen bienvenue hello hallo bonjour hola goodbye
  login logon signin access open opensesame sesame enter entry master root toor admin administrator administrador
  sysadmin superuser superadmin super user username guest gast test testing tester testtest temp temporary demo sample
  example public private owner manager support service system server computer laptop internet network router cisco oracle
  database mysql postgres postgresql mongodb windows microsoft apple google facebook twitter linkedin instagram youtube
  amazon samsung nokia huawei android iphone linux ubuntu debian github docker kubernetes backup office company business
  qwerty qwertz azerty qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx iloveyou ilovegod iloveu loveyou lovely
  love lover loveme lovers forever always trustno trustnoone whatever nothing something anything nobody anybody
  abc abcd abcdef abcabc princess prince queen king kingdom angel angels angela angelina devil heaven lucifer satan
  jesus christ jesuschrist god godisgood blessed faith hope grace church bible dragon dragons monkey monkeys donkey tiger
  tigers lion lions eagle eagles falcon falcons wolf wolves bear bears panther panthers cat cats kitty kitten dog dogs
  doggie puppy horse horses rabbit bunny turtle dolphin dolphins shark sharks butterfly flower flowers rose roses
  sunflower daisy lily lilly jasmine violet orange banana apple apples cherry strawberry peaches melon lemon pumpkin
  pepper ginger cookie cookies chocolate candy sugar honey sweet sweetie sweetheart cupcake muffin pizza cheese butter
  coffee whiskey vodka tequila corona heineken guinness budlight summer winter spring autumn january february march
  april june july august september october november december monday tuesday wednesday thursday friday saturday sunday
  weekend holiday christmas halloween birthday football soccer baseball basketball hockey volleyball tennis golf golfer
  cricket rugby boxing wrestling runner running swimming surfing fishing hunter hunting skating skateboard snowboard
  yankees redsox lakers cowboys steelers packers broncos raiders rangers dodgers giants patriots celtics chicago bulls
  arsenal chelsea liverpool manchester unitedfc manutd barcelona realmadrid juventus milan inter bayern dortmund ajax
  michael michelle jennifer jessica ashley amanda daniel danielle andrew andrea anthony antonio alexander alexandra
  alexis matthew joshua justin jordan joseph jonathan nicholas nicole natasha natalie robert roberto william thomas
  charles charlie christian christina christine christopher david george james jason jeremy john johnny kevin kimberly
  laura lauren linda lisa lucas madison maria marina martin martina mary maxwell melissa monica morgan nathan oliver
  olivia oscar patrick patricia paul peter rachel rebecca richard ronaldo ryan samantha samuel sandra sarah scott sean
  sebastian sophie sophia stephanie stephen steven steve stefan susan taylor teresa thunder tiffany timothy tyler
  vanessa veronica victor victoria vincent virginia walter wilson zachary abigail adriana alejandra alejandro alberto
  amelia barbara beatriz benjamin brandon brandy brian bonnie brittany bruno camila carlos carmen carolina caroline
  catherine chelsea chester claudia connor courtney crystal cynthia deborah denise dennis diana diego dominic donald
  dorothy edward eduardo elephant elizabeth emily eminem eric erika ernesto estrella fabian felipe felix fernando
  fernanda florence francesco francis francisco frank franklin freddy gabriel gabriela gemini gerald gloria gustavo
  hannah harley harrison harry heather hector helena henry isabel isabella jackson jacob jaguar javier joanna kathryn
  katherine kathleen kelly kenneth kristen kristina lawrence leonardo leslie lorenzo louise mackenzie manuel marcus
  margaret mariana marshall maurice mauricio melanie mercedes miguel miranda mitchell molly murphy nelson pamela
  phillip phoenix rafael raymond ricardo rodrigo roger ronald rosemary russell sabrina salvador samson santiago savannah
  sergio shannon sharon sierra simone spencer stanley stella sydney valentina valeria vanilla wesley winston yolanda
  batman superman spiderman ironman wolverine captain avengers hulk joker robin catwoman starwars startrek skywalker
  yoda vader darthvader jedi matrix neo terminator predator alien aliens godzilla pokemon pikachu naruto sasuke goku
  dragonball mario luigi zelda sonic minecraft fortnite roblox warcraft starcraft diablo overwatch counterstrike
  callofduty halo doom quake playstation xbox nintendo gamer gameover player hacker hacked hacking killer killers assassin
  ninja samurai pirate warrior warriors gladiator spartan spartans viking vikings knight wizard merlin magic mystic
  phantom shadow shadows ghost spirit vampire zombie monster demon hellfire hellraiser thunder lightning storm hurricane
  tornado blizzard snowball snowman frosty rainbow sunshine sunset sunrise moonlight moon star stars starlight galaxy
  universe planet earth mars venus jupiter saturn mercury apollo phoenix titanic titan atlas hercules zeus athena
  diamond diamonds crystal pearl ruby emerald sapphire golden gold silver platinum metal metallica nirvana slipknot
  linkinpark greenday blink acdc ironmaiden beatles rollingstones pinkfloyd rockstar rocknroll guitar bassman drummer
  music musica piano dancer dancing singer hiphop techno ferrari porsche lamborghini mercedes bmw corvette mustang
  camaro chevy chevrolet ford toyota honda nissan yamaha kawasaki suzuki ducati harleydavidson racing racer speedy turbo
  trucker yellow purple orange black blackie white green blue bluebird redhead brown maroon scarlet america american
  canada mexico brazil brasil argentina colombia england london paris france germany deutschland berlin italia roma
  spain madrid portugal russia moscow china beijing japan tokyo korea india australia sydney africa texas florida
  california newyork boston dallas denver detroit houston miami phoenix seattle vegas lasvegas hawaii freedom liberty
  justice peace peaceful victory winner winners champion champions legend legends hero heroes trouble danger dangerous
  dakota cheyenne cherokee apache comanche geronimo chopper bulldog rottweiler cowboy cowgirl bigdaddy daddy mommy
  mother father brother sister family baby babygirl babyboy girlfriend boyfriend husband wifey bestfriend friends
  friend friendship teamo tequiero miamor amor amore corazon hermosa chiquita bonita princesa estrella cielo mylove
  sexy sexygirl hottie hotgirl badboy badgirl playboy playgirl pussycat fuckyou fuckoff bullshit asshole bitch sucker
  cocacola pepsi redbull mcdonalds starbucks nutella snickers skittles scooter scooby snoopy garfield mickey minnie
  mickeymouse tinkerbell donald goofy barney tweety bugsbunny simpsons homer bart southpark cartman barbie hellokitty
  einstein newton mozart shakespeare napoleon buddha krishna ganesha saibaba mohammed muhammad ibrahim abdullah ahmed
  mustafa fatima yusuf student teacher school college university doctor nurse lawyer police fireman soldier army marine
  marines navy airforce pilot captain general sergeant major colonel security secure safety protect access control
  remember forgot forgotten reset recover recovery unlock unlocked lockdown blahblah bananas buster maverick gateway
  midnight montana mountain ocean island beach river forest garden paradise fantasy dream dreams dreamer imagine believe
  smile smiley happy happiness lucky luckyone fortune money cash dollar rich million millionaire casino poker joker
  jackpot purchase payment billing invoice account customer license licence licenses keygen correcthorsebatterystaple
  appliance nothing qweasd qweasdzxc asdasd asdqwe zaqwsx zaqxsw qwaszx poiuytrewq lkjhgfdsa mnbvcxz trewq aaaaaa`
    .trim()
    .split(/\s+/),
);

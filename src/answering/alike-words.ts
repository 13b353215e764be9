import { madeWhenAsked } from '../core/made-once.js';
import { termOf } from '../relations/conflicts/word-classes.js';
import { areOpposed } from './opposed-words.js';

/** Words that say nearly the same in texts about work and software, in their usual forms. A word may stand in several lines. */
const ALIKE = [
  'remove delete erase wipe drop clear discard purge strip eliminate, removed deleted erased wiped dropped cleared discarded purged stripped eliminated',
  'repair fix mend correct resolve solve remedy cure, repaired fixed mended corrected resolved solved remedied cured repairs fixes mends corrects resolves solves',
  'cause reason culprit origin trigger root, because since as due owing, caused triggered led made',
  'begin start launch initiate commence kick-off, began started launched initiated begun begins starts launches',
  'end stop finish cease terminate halt quit close conclude, ended stopped finished ceased terminated halted done completed',
  'refuse reject decline deny turn-down, refused rejected declined denied bounced, refuses rejects declines denies',
  'accept approve agree consent, accepted approved agreed, approval consent permission leave',
  'allow permit let enable grant, allowed permitted possible let can may, forbid prohibit ban disallow, forbidden prohibited banned disallowed',
  'must need require have-to necessary mandatory compulsory obligatory shall needs requires required has have',
  'use apply employ utilise utilize rely take, used applied employed relied took, uses applies employs relies takes',
  'show display present render, showed shown displayed presented rendered saw seen appear appeared',
  'send deliver dispatch transmit ship forward mail, sent delivered dispatched transmitted shipped forwarded issued, resent reissued again',
  'get receive obtain fetch retrieve gain pick load, got received obtained fetched retrieved gained given picked loaded',
  'keep retain hold store preserve save stay, kept retained held stored preserved saved stays remain remains stay',
  'change alter modify switch adjust amend edit update, changed altered modified switched adjusted amended edited updated, swap replace exchange substitute, swapped replaced exchanged substituted',
  'increase raise lift boost grow enlarge extend improve, increased raised lifted boosted grew grown enlarged extended rose went-up improved higher',
  'reduce lower decrease cut shrink drop lessen, reduced lowered decreased cut shrank dropped fell lessened lower',
  'create make build produce generate write establish form, created made built produced generated written established formed',
  'add insert append include attach contain hold comprise, added inserted appended included attached',
  'fail break crash die stop malfunction, failed broke broken crashed died stopped, failure error fault breakdown outage crash defect bug, down unreachable unavailable reachable',
  'kill end terminate stop abort, killed terminated aborted stopped died',
  'wait pause delay hold, waits pauses, delay lag latency wait, late delayed',
  'retry repeat redo try attempt, retried repeated tried attempted retries, attempt try retry time, again anew repeatedly',
  'check verify test examine inspect validate review look, checked verified tested examined inspected validated reviewed looked',
  'find discover detect notice spot see, found discovered detected noticed spotted seen',
  'choose pick select opt prefer decide, chose chosen picked selected opted preferred decided, choice decision selection',
  'big large huge great, bigger larger greater exceeding above over, small little tiny, smaller less lesser below under',
  'more over above beyond exceeding past than exceeds exceed, less under below fewer within',
  'fast quick rapid speedy, faster quicker sooner, slow sluggish, slower longer',
  'immediately instantly at-once straight directly once right, later afterwards subsequently then after, before earlier previously prior formerly first',
  'previous former earlier old last prior, next following subsequent new, new fresh recent latest',
  'whole entire complete full all every each, only solely merely just exclusively single',
  'about roughly approximately around nearly almost circa, at-most up-to maximum no-more within, at-least minimum no-less',
  'customer client user buyer consumer shopper visitor, employee staff worker colleague person people, person people human someone, user account person member',
  'machine host server node computer box instance, job task work, process program, service application app system component',
  'error exception problem issue trouble incident bug fault failure, problem issue trouble matter',
  'folder directory, file document, picture image photo, page site, setting option parameter configuration config value, key credential secret, password passphrase',
  'message mail e-mail email notification, address location place, address url link, letter mail',
  'begin-with start-with prefix, name call title, named called titled',
  'run execute operate perform carry launch serve, ran executed operated performed ran served, runs executes operates performs serves',
  'return give yield answer respond reply, returns gives yields answers responds replies returned gave gives answered responded replied',
  'buy purchase acquire order, bought purchased acquired ordered, sell sold, pay spend cost charge, paid spent charged cost bills billed',
  'month monthly, day daily, week weekly, year yearly annual annually, hour hourly, night nightly, today now currently present nowadays present',
  'move transfer shift migrate relocate bring, moved transferred shifted migrated relocated brought switched switch',
  'write record save log store, wrote written recorded saved logged stored',
  'read load parse scan, reads loads parses',
  'suggest propose recommend advise idea, suggested proposed recommended advised, proposal suggestion idea recommendation',
  'help assist support aid, helps assists supports aids',
  'explain describe tell say state, explained described told said stated, says states tells',
  'ask request demand query, asked requested demanded, request call query, question query',
  'share part portion fraction percentage, number count amount quantity figure total sum',
  'result outcome effect consequence, outcome result, affect touch impact influence concern, affected touched impacted influenced concerned',
  'limit cap maximum ceiling bound threshold quota, capped limited bounded',
  'expire lapse run-out, expired lapsed, valid good live, invalid expired',
  'old outdated stale obsolete, deprecated obsolete',
  'safe secure protected, unsafe insecure',
  'duplicate double twice twofold repeated, both two, single one once',
  'ignore skip omit disregard leave, ignored skipped omitted disregarded left',
  'lose lost lack missing miss, missing absent lacking without, empty blank',
  'fill full exhaust use-up, exhausted used full, memory ram, disk storage space, network connection',
  'call page ring phone notify alert inform, called paged rang phoned notified alerted informed',
  'wrong incorrect faulty false mistaken, right correct proper true',
  'undo revert rollback restore back, undone reverted restored',
  'split divide separate cut, divided separated, merge join combine unite, merged joined combined united',
  'quickly fast rapidly soon, often frequently, seldom rarely, sometimes occasionally could',
  'decide determine, decided determined, depends relies',
  'uphold sustain confirm affirm, inquire enquire ask contact, lawyer attorney, kid child, begin onset start',
  'reach arrive get, reached arrived got, reaches arrives gets, arrive come reach',
  'clock time, moment time, duration length period time, while during, whenever when if, wherever where if',
  'leave abandon quit give-up move, abandoned left moved quit',
  'manual hand manually, automatic automatically itself',
  'visible shown, hidden invisible, same identical equal, different other distinct',
  'spread distributed, region area zone, country nation state, law legal legally',
];

const linesOf = madeWhenAsked(
  (): ReadonlyMap<string, readonly number[]> =>
    ALIKE.join(', ')
      .split(', ')
      .reduce((lines, line, at) => {
        for (const word of line.split(' '))
          for (const form of new Set([word, termOf(word)])) lines.set(form, [...(lines.get(form) ?? []), at]);
        return lines;
      }, new Map<string, readonly number[]>()),
);

/** Whether two terms say nearly the same. Terms are those of `termOf`. */
export const areAlike = (a: string, b: string): boolean =>
  linesOf()
    .get(a)
    ?.some((line) => linesOf().get(b)?.includes(line) === true) === true && !areOpposed(a, b);

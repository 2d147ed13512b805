// Search of the book: its sections by the words in their headings and texts. The list of sections
// (search.txt, written by `cargo xtask book`) is fetched once somebody searches.
const field = document.getElementById('search');
const found = document.getElementById('found');
const said = document.getElementById('found-said');
const MOST = 12;

let sections;
const load = () => {
  sections ??= fetch(`${field.dataset.root}search.txt`).then((answer) => {
    if (!answer.ok) throw new Error(answer.status);
    return answer.json();
  });
  // A request that failed is made again with the next letter.
  sections.catch(() => { sections = undefined; });
  return sections;
};

// A word in the heading counts for more than one in the title of the chapter or in the text.
const score = ([page, heading, , text], words) => words.reduce((sum, word) => {
  const [inHeading, inPage, inText] = [heading, page, text].map((part) => part.toLowerCase().includes(word));
  return sum < 0 || !(inHeading || inPage || inText) ? -1 : sum + 8 * inHeading + 3 * inPage + inText;
}, 0);

const link = ([page, heading, address]) => {
  const item = document.createElement('li');
  const to = document.createElement('a');
  to.href = field.dataset.root + address;
  to.textContent = heading;
  item.append(to, page === heading ? '' : ` ${page}`);
  return item;
};

const show = async () => {
  const asked = field.value;
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  let links = [];
  let sentence = '';
  if (words.length) {
    try {
      const all = (await load()).map((section) => [score(section, words), section]).filter(([points]) => points > 0);
      links = all.sort(([one], [other]) => other - one).slice(0, MOST).map(([, section]) => link(section));
      sentence = all.length ? `${all.length} sections` : 'No section has all of these words.';
    } catch {
      sentence = 'The list of sections could not be loaded. Check the connection and try again.';
    }
  }
  // Another letter may have come meanwhile.
  if (field.value !== asked) return;
  found.replaceChildren(...links);
  said.textContent = sentence;
};

field.hidden = false;
field.addEventListener('input', show);
field.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') found.querySelector('a')?.click();
});

import type { Question } from "./web-research.ts";

/** Used when no dataset is named. Each needs two or three facts that stand in different places. */
export const researchQuestions: readonly Question[] = [
  {
    question: "In which year was the university founded at which the inventor of the World Wide Web studied physics?",
    answer: "Tim Berners-Lee studied at The Queen's College, Oxford; the college was founded in 1341.",
  },
  {
    question: "Which river flows through the capital of the country that won the first football World Cup?",
    answer: "Uruguay won in 1930; its capital Montevideo lies on the Rio de la Plata.",
  },
  {
    question:
      "Who was the head of government of New Zealand when the film that won the Oscar for best picture in 2004 was released?",
    answer: "The Return of the King was released in 2003, when Helen Clark was prime minister.",
  },
  {
    question:
      "Which element is named after the woman who first explained nuclear fission together with her nephew, and what is its atomic number?",
    answer: "Meitnerium, named after Lise Meitner, atomic number 109.",
  },
  {
    question: "What is the highest mountain of the country in which the programming language Lua was created?",
    answer: "Lua comes from Brazil, whose highest mountain is Pico da Neblina.",
  },
  {
    question:
      "Which spacecraft first landed on the moon of Saturn that Christiaan Huygens discovered, and in which year?",
    answer: "The Huygens probe landed on Titan in 2005.",
  },
  {
    question: "In which city is the headquarters of the organisation whose first secretary-general was Trygve Lie?",
    answer: "The United Nations has its headquarters in New York City.",
  },
  {
    question:
      "Which author of the novel on which the film Blade Runner is based also wrote a story about pre-crime, and what is it called?",
    answer: "Philip K. Dick wrote The Minority Report.",
  },
  {
    question: "What currency is used in the country where the longest suspension bridge of the world stands?",
    answer: "The 1915 Canakkale Bridge stands in Turkey, where the lira is used.",
  },
  {
    question:
      "Who composed the opera that was first performed at the opening season of the Cairo Opera House's commission in December 1871?",
    answer: "Giuseppe Verdi composed Aida, first performed in Cairo in 1871.",
  },
];

//! Word lists of the prompt hook: what says nothing of a prompt's subject, and what shows that its
//! writer has something in mind that was written down. No procedure.
//!
//! English words are separated by blanks, phrases and Japanese by bars. They are general words of
//! the two languages and of work with an agent, none of a subject; docs/recall.md says what they do
//! for recall.

/// English function words, and the words of small talk.
pub(super) const FUNCTION_WORDS: &str = "\
    a about above actually add after again all already also always am an and another any \
    anybody anyone anything are aren as ask at away back be because been before began being \
    below better between both but by call can cannot cant could couldn did didn didnt do \
    does doesn doing don done dont down during each either else enough etc even ever every \
    everything fine first fix for from get gets getting give go goes going gone good got had \
    has hasn have haven having he hello help her here hey hi him his hm hmm how however i id \
    if ill im in instead into is isn it its itself ive just keep know last later least less \
    let lets like little ll look looks lot made make makes making many may maybe me mean \
    might mine more most much must my myself need needs never new next no nobody not nothing \
    now of off ok okay on once one only onto or other others otherwise our ours out over own \
    per perhaps please plus put quite rather re really right said same say says see seem \
    seems shall she should shouldn since so some somebody someone something sometimes \
    somewhere soon sorry still stuff such sure take tell than thank thanks that thats the \
    their them then there therefore these they thing things think this those though through \
    thus till time to today together told tomorrow tonight too toward try trying two type \
    under until up upon us use used using ve very via want wants was wasn way we well went \
    were weren what whatever when where whether which while who whole whom whose why will \
    with within without won wont would wouldn write yes yesterday yet you your yours \
    yourself";

/// English words for what an agent is to do and to hand over: they tell the form of the answer and
/// not its subject.
pub(super) const TASK_WORDS: &str = "\
    added adding ahead answer answers apply approved asked asking attached based basic best \
    big bit build bullet bullets carry case cases change changed changes check checked \
    checklist clean code command commands comment comments commit compare continue correct \
    create current day days default describe details diff difference different docs document \
    documentation draft easy edit email exact exactly example examples explain extract fail \
    failed failing fails file files finally find fixed fixing folder following format friday \
    friendly full function generate great guide hour hours idea ideas implement incl include \
    info input instruction instructions issue issues job kind kindly large line lines link \
    list lists log logs long main markdown match message method minute minutes missing \
    module monday month months morning noon nope number numbers old open option order \
    outline output page paragraph paragraphs part parts paste pasted people perfect person \
    pls point points possible pr prepare print problem proceed project proper properly \
    propose provide question quick read readme reason refactor remove rename replace reply \
    report reports result results return review rewrite rough run running runs sample save \
    script section sentence sentences set setup shell short show shows simple single small \
    solution sounds step steps stop suggest summarise summarize summary table task tasks \
    team template test tested testing tests text three title todo topic translate tuesday \
    turn understand update updated user users value values version week weekend weeks work \
    worked working works writing written wrong wrote year years";

/// Japanese words of the same two sorts, each as a whole run of kanji or katakana; what is written
/// in hiragana is not asked for at all.
pub(super) const GENERAL_RUNS: &str = "\
    コミット|コード|スクリプト|チェックリスト|テスト|ファイル|リスト|一行|一覧|上|下|下書|中|\
    了解|今|今夜|今日|他|以前|件|何|作|作成|使|個|先|入|全|全部|出|分|前|前回|同|報告|報告書|\
    始|完璧|形|待|後|戻|手順書|承知|教|文章|新|方|日|明日|昨日|時|書|来月|案|次|止|番|直|短|\
    確認|私|箇条書|終|続|自分|表|見|説明|説明文|読|資料|追加|進|長|願";

/// English phrases by which somebody refers to what was done, decided or written.
pub(super) const RECALL_PHRASES: &str = "\
    a note|a while ago|again|ages ago|agreed|already|as usual|as we|at some point|back then|\
    before|decided|did i|did it|did we|didn t i|didn t it|didn t we|do i still|do we still|\
    earlier|had we|have we|haven t we|history of|how did|how long did|how many did|\
    how many were|i believe|i changed|i decided|i did|i forget|i forgot|i had|i kept|i noted|\
    i recall|i remember|i think i|i think we|i tried|i used|i wrote|in the past|known issue|\
    last month|last time|last year|like we|my criteria|my list|my log|my note|my notes|\
    my own|my plan|my recipe|my rule|my usual|noted|once|our agreed|our convention|\
    our decision|our notes|our own|our policy|our rule|our rules|our usual|previous|\
    previously|recall|remember|remind me|same as|same fix|same procedure|same steps|same way|\
    seen that|seen this|settled on|tell me again|the first time|the notes|the usual|\
    the way we|used to|wasn t there|we agreed|we always|we chose|we decided|we did|we fixed|\
    we had|we have|we made|we measured|we normally|we picked|we said|we saw|we set|\
    we settled|we solved|we tested|we tried|we used|we usually|we ve|we ve had|we wrote|\
    what came|what did|what was|what were|when did|when was|where did|which day did|why did|\
    written down";

/// English words by which somebody speaks of their own affairs.
pub(super) const OWN_WORDS: &str = "\
    do i|how do we|i m|mine|my|our|ours|should i|us|we|we re|what do we";

/// Japanese of the sort of [`RECALL_PHRASES`], anywhere in the text.
pub(super) const RECALL_RUNS: &str = "\
    あるはず|いつだ|いつも|いつもの|うちで|うちの|うちは|かつて|こないだ|この前|この間|\
    するはず|たかな|たっけ|たと思|たはず|たよね|だっけ|だったかな|だったと思|だよね|っけ|\
    てたよ|てるはず|でしたか|と同じに|どおり|に従って|に沿って|のメモ|はず|ましたか|また同じ|\
    まとめた|まとめてあ|むかし|やった|ノートに|ノートを|メモ、|メモ。|メモし|メモで|メモに|\
    メモを|ルール|ログに残|上げた|二度|今の方針|以前|作った|使った|例の|先日|先月|先週|\
    入れた|前に|前の|前も|前回|去年|取り決め|同じやり方|同じ手順|同じ方法|同じ設定|基準|\
    変えた|思い出|控え|方針|日記|昔|昨年|書いた|書いてあ|書き留|気がし|気がする|決まって|\
    決まり|決めごと|決めた|決めて|測った|現在の|理由は|直した|移した|経緯|結論|自分のやり方|\
    自分の決め|行った|覚え|記録|試した|調べた|買った|踏まえ|通りに|過去";

/// Japanese of the sort of [`OWN_WORDS`], and questions for a day or a number.
pub(super) const OWN_RUNS: &str = "\
    いつ|うち|どこに|また|今の|何件|何分|何回|何月|何秒|俺|僕|我々|私たち|自分";

/// Words that hold one of those by chance.
pub(super) const NO_RECALL_RUNS: &str = "\
    名前に|名前の|目の前|手前|メモリ|駅前の";
